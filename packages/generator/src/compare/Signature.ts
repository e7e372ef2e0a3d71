import * as Digest from "../read/Digest.ts"
import type { OperationModel } from "../model/OperationModel.ts"
import type { Content } from "../model/Payload.ts"
import type { Success } from "../model/Success.ts"
import * as Shape from "../model/Shape.ts"

/** The alternatives of each part, one a line, by its path, which ends with `?` where the part can be left out. */
export type Parts = Readonly<Record<string, string>>

/** The parts that an operation takes and gives: enough to tell what a change breaks. */
export interface Signature {
  readonly takes: Parts
  readonly gives: Parts
  readonly isDeprecated: boolean
}

const together = (all: ReadonlyArray<Parts>): Parts => Object.fromEntries(all.flatMap((parts) => Object.entries(parts)))

/** An alternative that callers do not know yet. */
export const unknown = "Unknown"

/** Longer alternatives are compared as one. */
const mostText = 5_000

const alternatives = (shape: Shape.Shape): string => {
  switch (shape._tag) {
    case "Reference":
      return `#${shape.name}`
    case "Literals":
      return shape.values.map((value) => (shape.closed ? "=" : "~") + JSON.stringify(value)).join("\n")
    case "Union":
      // one alone grows only where a discriminator tells it from others
      return [...shape.members.map(alternatives), ...(shape.members.length === 1 ? [unknown] : [])].join("\n")
    case "Text":
      return [shape._tag, ...shape.checks, ...(shape.brand === undefined ? [] : [shape.brand])].join(" ")
    case "Number":
    case "Integer":
      return [shape._tag, ...shape.checks].join(" ")
    case "Array":
    case "Struct":
    case "Record": {
      const text = JSON.stringify(parts(shape))
      // each level escapes what is in it
      return text.length > mostText ? Digest.digest(text) : text
    }
    default:
      return shape._tag
  }
}

export const parts = (shape: Shape.Shape, path = "", isRequired = true, found: Record<string, string> = {}): Parts => {
  const [inner, isNull] = Shape.withoutNull(shape)
  const put = (text: string) => (found[isRequired ? path : `${path}?`] = isNull ? `${text}\nNull` : text)
  switch (inner._tag) {
    case "Struct":
      put(inner.open === false ? "object" : "open object")
      for (const field of inner.fields) parts(field.shape, `${path}.${field.name}`, field.isRequired, found)
      break
    case "Array":
      put(["list", ...inner.checks].join(" "))
      parts(inner.item, `${path}[]`, true, found)
      break
    case "Record":
      put("record")
      parts(inner.value, `${path}{}`, true, found)
      break
    default:
      put(alternatives(inner))
  }
  return found
}

const ofContent = (content: Content, path: string, isRequired: boolean): Parts =>
  "shape" in content ? parts(content.shape, path, isRequired) : { [isRequired ? path : `${path}?`]: content.kind }

const ofSuccess = ({ kind, shape }: Success, path: string): Parts => {
  const isStream = kind === "events" || kind === "lines"
  if (shape === undefined) return { [path]: kind }
  return isStream ? { [path]: kind, ...parts(shape, `${path}[]`) } : parts(shape, path)
}

export const make = (model: OperationModel): Signature => {
  const { cookies, failures, headers, isDeprecated, params, payload, query, successes } = model
  const { contents = [], isOptional = true } = payload ?? {}
  const isChoice = contents.length > 1
  return {
    takes: together([
      ...Object.entries({ params, query, headers, cookies }).flatMap(([place, all]) =>
        all.map(({ isRequired, name, shape }) => parts(shape, `${place}.${name}`, isRequired))
      ),
      isChoice ? { [isOptional ? "payload?" : "payload"]: "choice" } : {},
      ...contents.map((content) =>
        isChoice
          ? ofContent(content, `payload.${"type" in content ? content.type : content.kind}`, false)
          : ofContent(content, "payload", !isOptional)
      )
    ]),
    gives: together([
      ...successes.map((success) =>
        ofSuccess(success, successes.length > 1 ? `result ${String(success.status)}` : "result")
      ),
      ...failures.map(({ shape, status }) =>
        shape === undefined ? { [`refusal ${status}`]: "none" } : parts(shape, `refusal ${status}`)
      )
    ]),
    isDeprecated
  }
}
