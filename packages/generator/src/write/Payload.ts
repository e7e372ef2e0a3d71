import type { Content, Payload } from "../model/Payload.ts"
import { form } from "./Form.ts"
import * as Layout from "./Layout.ts"
import { type Context, json, plain, type Written } from "./Written.ts"

export const payload = ({ contents, isOptional }: Payload, context: Context): Written => {
  const written = choiceOf(contents.map((content) => contentOf(content, context)))
  if (!isOptional) return written
  return {
    type: [written.type, " & ", Layout.members([{ code: "readonly optional: true" }])],
    code: Layout.call("Body.optional", [written.code])
  }
}

/** One of several contents, or the only one. */
const choiceOf = (all: ReadonlyArray<Written>): Written => {
  const [first] = all
  if (first !== undefined && all.length === 1) return first
  return {
    type: Layout.generic("Body.Choice", [["readonly ", Layout.array(all.map(({ type }) => type))]]),
    code: Layout.call(
      "Body.choice",
      all.map(({ code }) => code)
    )
  }
}

const contentOf = (content: Content, context: Context): Written => {
  switch (content.kind) {
    case "json":
      return json(content.shape, content.type, context.requests)
    case "text":
    case "bytes":
    case "upload":
      return plain(content.kind, content.type)
    case "form":
    case "multipart":
      return form(content, context)
  }
}
