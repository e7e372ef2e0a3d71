import { type JsonObject, object, pointer, property } from "../read/Json.ts"
import { unsupported } from "../read/Unsupported.ts"
import type { Context } from "./Context.ts"
import * as Media from "./Media.ts"
import * as Shape from "./Shape.ts"

/** One content that a request can have. */
export type Content = { readonly pointer: string } & (
  | { readonly kind: "json"; readonly type: string; readonly shape: Shape.Shape }
  | { readonly kind: "form" | "multipart"; readonly shape: Shape.Shape; readonly encoding: JsonObject }
  | { readonly kind: "text" | "bytes" | "upload"; readonly type: string }
)

/** The contents that a request can have, the usual one first. */
export interface Payload {
  readonly isOptional: boolean
  readonly contents: ReadonlyArray<Content>
}

export const of = (context: Context): Payload | undefined => {
  const { document, method, node, warn } = context
  if (node["requestBody"] === undefined) return undefined
  const body = document.child(context, "requestBody")
  const isOptional = property(body.node, "required") !== true
  const all = Media.all(document, body)
  const [first] = all
  if (first === undefined) return undefined
  if (method === "get" || method === "head") {
    const message = `a ${method.toUpperCase()} request has no content (RFC 9110 §9.3)`
    if (!isOptional) throw unsupported("payload-method", body.pointer, message)
    warn("payload-method", body.pointer, `${message}: left out, since it is optional`)
    return undefined
  }
  const multipart = all.find(
    (media) => Media.concrete(media) === "multipart/form-data" && Media.hasFile(document, media)
  )
  const isLoss = (media: Media.Media) =>
    multipart !== undefined &&
    (media.kind === "json" || media.kind === "form") &&
    (Media.isAlike(media, multipart) || Media.hasFile(document, media))
  const kept = all.filter((media) => !isLoss(media))
  const isFirst = multipart !== undefined && (first.kind === "form" || isLoss(first))
  const chosen = Media.distinct(isFirst ? [multipart, ...kept] : kept)
  const left = all.filter((media) => !chosen.includes(media))
  const names = (some: ReadonlyArray<Media.Media>) => some.map(({ key }) => key)
  if (left.length > 0) {
    const lost = left.filter(isLoss)
    const why = lost.length === 0 ? "" : `: no file fits in ${names(lost).join(" or ")}`
    const message = `${names(chosen).join(" or ")} is sent, not ${names(left).join(", ")}${why}`
    warn("payload-type", pointer(body.pointer, "content"), message)
  }
  return { isOptional, contents: chosen.flatMap(Media.each).map((media) => contentOf(context, media)) }
}

const contentOf = ({ id, requests }: Context, media: Media.Media): Content => {
  const { kind, schema } = media
  const common = { pointer: schema.pointer }
  const type = Media.concrete(media)
  if (!Media.isWritable({ ...media, type: type.replace(/;.*/, "") })) {
    throw unsupported("payload-type", schema.pointer, `${media.key} cannot be written`)
  }
  switch (kind) {
    case "json":
      return { ...common, kind, type, shape: requests.declare(schema, `${id} Payload`) }
    case "form":
    case "multipart":
      return {
        ...common,
        kind,
        shape: requests.read(schema, `${id} Payload`),
        encoding: object(media.node, "encoding")
      }
    case "bytes":
      return { ...common, kind: Media.isStream(media) ? "upload" : "bytes", type }
    case "text":
    case "lines":
    case "events":
      return { ...common, kind: "text", type }
  }
}
