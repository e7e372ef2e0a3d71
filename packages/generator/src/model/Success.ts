import type { Document } from "../read/Document.ts"
import { inside, list, object, type Place, pointer, property } from "../read/Json.ts"
import type { Context } from "./Context.ts"
import * as Media from "./Media.ts"
import * as Responses from "./Responses.ts"
import type * as Shape from "./Shape.ts"

/** The content of one success. */
export interface Success {
  readonly status: number | undefined
  readonly kind: Exclude<Media.Kind, "form" | "multipart"> | "empty" | "envelope" | "redirect" | "stream"
  readonly type: string
  readonly shape: Shape.Shape | undefined
  /** Whether the header `Link` is declared. */
  readonly hasLink: boolean
  /** More statuses of a redirect. */
  readonly others?: ReadonlyArray<string>
}

export const all = (context: Context): ReadonlyArray<Success> => {
  const { document, envelope, id, method, node, responses: reader, warn } = context
  const responses = inside(context, "responses")
  const keys = Responses.successes(document, object(node, "responses"))
  const [first = ""] = keys
  if (first === "default" || property(responses.node, first) === undefined) {
    const read = first === "default" ? "the default is the success" : "any success is read without its body"
    warn("success-count", responses.pointer, `${read}, since no other is declared`)
  }
  const exact = keys.filter((status) => /^\d+$/.test(status))
  const chosen = keys.length > 1 && exact.length > 0 ? exact : keys
  for (const status of keys) {
    if (!chosen.includes(status)) {
      warn("status", pointer(responses.pointer, status), `${status} is left out beside its single statuses`)
    }
  }
  // a guess holds for all successes, or for none
  const option = envelope === "auto" && node["x-envelope"] === true ? "declared" : envelope
  const hasEnvelopes =
    option !== "auto" ||
    chosen.every((status) => {
      const [media] = Media.all(document, document.child(responses, status))
      return media?.kind !== "json" || enveloped(document, media.schema, option) !== undefined
    })
  return chosen.flatMap((status): ReadonlyArray<Success> => {
    const response = document.child(responses, status)
    const code = /^\d+$/.test(status) ? Number(status) : undefined
    const hasLink = Object.keys(object(response.node, "headers")).some((name) => name.toLowerCase() === "link")
    const [media, ...rest] = Media.all(document, response)
    // a field of the request asks for one or the other
    const streams = media?.kind === "json" ? rest.filter(({ kind }) => kind === "events").slice(0, 1) : []
    const others = rest.filter((other) => !streams.includes(other))
    const empty: Success = { status: code, kind: "empty", type: "", shape: undefined, hasLink }
    if (status.startsWith("3")) {
      const [first, ...others] = chosen
      if (status !== first) return []
      warn("redirect", response.pointer, "the value is where a redirect leads, which browsers hide from pages")
      return [{ ...empty, kind: "redirect", others }]
    }
    if (media === undefined || method === "head" || code === 204 || code === 205) return [empty]
    if (others.length > 0) {
      const keys = others.map(({ key }) => key).join(", ")
      warn("success-types", pointer(response.pointer, "content"), `${media.key} is asked for, not ${keys}`)
    }
    const hint = `${id} ${chosen.length > 1 ? status : ""} Result`
    return [media, ...streams].map((media): Success => {
      const { full: type, kind, schema } = media
      if (kind === "form" || kind === "multipart") return { ...empty, kind: "bytes", type }
      if (kind === "text" || kind === "bytes") return { ...empty, kind: Media.isStream(media) ? "stream" : kind, type }
      if (kind === "events" || kind === "lines") {
        const item = Media.itemOf(document, media)
        return item === undefined
          ? { ...empty, kind: "stream", type }
          : { ...empty, kind, type, shape: reader.declare(item, `${hint} Item`) }
      }
      const result = hasEnvelopes ? enveloped(document, schema, option) : undefined
      if (result !== undefined) {
        const shape = result.node === undefined ? undefined : reader.declare(result, hint)
        return { ...empty, kind: "envelope", type, shape }
      }
      if (schema.node === undefined) warn("schema", media.pointer, "a result without a schema is any JSON")
      return { ...empty, kind, type: Media.concrete(media), shape: reader.declare(schema, hint) }
    })
  })
}

/** The result in an envelope, where the schema is one. */
const enveloped = (document: Document, schema: Place, option: string): Place | undefined => {
  if (option === "none") return undefined
  const whole = document.follow(schema)
  const names = Object.keys(object(whole.node, "properties"))
  const isAuto = option === "auto" || option === "declared"
  const name = isAuto ? "result" : option.replace(/^\//, "")
  const required = list(whole.node, "required")
  // of a request ID alone, the ID is the result
  const isEnvelope = isAuto
    ? names.includes("requestId") &&
      names.every((one) => ["status", "requestId", "result"].includes(one)) &&
      (option === "declared" ||
        (names.length > 1 &&
          (!names.includes("result") || required.includes("result")) &&
          (required.includes("status") || required.includes("requestId"))))
    : names.includes(name)
  return isEnvelope ? inside(whole, "properties", name) : undefined
}
