import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import type * as Operation from "../Operation.ts"

/** An operation of an OpenAPI document. */
interface Written {
  readonly parameters?: ReadonlyArray<unknown>
  readonly requestBody?: { readonly content?: { readonly [type: string]: object } }
  readonly responses?: { readonly [status: string]: unknown }
}

interface Parameter {
  readonly name: string
  readonly in: string
}

/** The name of a response for each status that `HttpApi` has for it. */
type Names = ReadonlyMap<string, string>

const isParameter = (value: unknown): value is Parameter => typeof value === "object" && value !== null && "in" in value

const parametersOf = (
  { query, repeat }: Operation.Any,
  { parameters: written = [] }: Written
): ReadonlyArray<unknown> => {
  const parameters = written.map((parameter) => {
    if (!isParameter(parameter) || parameter.in !== "query") return parameter
    const { explode, style } = query?.styles?.[parameter.name] ?? {}
    return style === undefined ? parameter : { ...parameter, style, explode }
  })
  return typeof repeat === "object"
    ? [...parameters, { name: repeat.header, in: "header", required: true, schema: { type: "string" } }]
    : parameters
}

/** The body of a request, which can be optional, and whose parts can have types. */
const bodyOf = ({ payload }: Operation.Any, { requestBody: written }: Written): object => {
  const types = payload?._tag === "Multipart" ? payload.types : undefined
  const optional = { ...written, ...(payload?.optional === true && { required: false }) }
  if (types === undefined) return optional
  const encoding = Record.map(types, (contentType) => ({ contentType }))
  return { ...optional, content: Record.map(written?.content ?? {}, (media) => ({ ...media, encoding })) }
}

const isEnvelope = ({ success }: Operation.Any): boolean =>
  (success._tag === "OneOf" ? success.bodies : [success]).some(({ _tag }) => _tag === "Envelope")

/** Adds to the document what `HttpApi` cannot express of an operation. `docs/decisions/0025` lists what is still lost. */
export const transform =
  (operation: Operation.Any, names: Names) =>
  (written: Written): object => {
    const { annotations, pagination, security } = operation
    return {
      ...written,
      ...(annotations?.["stability"] !== undefined && { "x-stability": annotations["stability"] }),
      parameters: parametersOf(operation, written),
      ...(written.requestBody && { requestBody: bodyOf(operation, written) }),
      responses: Record.mapKeys(written.responses ?? {}, (status) => names.get(status) ?? status),
      // a scheme is the layer's: a registry knows only its name, which a document may not use alone
      ...(security?.length === 0 && { security }),
      // its fields are optional for a client, so the schema does not say so
      ...(isEnvelope(operation) && { "x-envelope": true }),
      ...(pagination && { "x-pagination": Struct.omit(pagination, ["reader"]) })
    }
  }

/** A document whose paths have the operations' colons; in a path of `HttpApi` a colon is doubled. */
export const withColons = (document: { readonly paths?: { readonly [path: string]: unknown } }) => ({
  ...document,
  paths: Record.mapKeys(document.paths ?? {}, (path) => path.replaceAll("::", ":"))
})
