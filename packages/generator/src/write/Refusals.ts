import * as Codec from "./Codec.ts"
import * as Constant from "./Constant.ts"
import * as Layout from "./Layout.ts"
import * as Literal from "../model/Literal.ts"
import * as Names from "../model/Names.ts"
import * as OperationId from "../model/OperationId.ts"
import type { Failure } from "../model/Failure.ts"
import type { OperationModel } from "../model/OperationModel.ts"
import * as Shape from "../model/Shape.ts"

const statuses: Readonly<Record<string, string>> = {
  "400": "BadRequest",
  "401": "Unauthorized",
  "402": "PaymentRequired",
  "403": "Forbidden",
  "404": "NotFound",
  "405": "MethodNotAllowed",
  "406": "NotAcceptable",
  "407": "ProxyAuthenticationRequired",
  "408": "RequestTimeout",
  "409": "Conflict",
  "410": "Gone",
  "411": "LengthRequired",
  "412": "PreconditionFailed",
  "413": "ContentTooLarge",
  "414": "UriTooLong",
  "415": "UnsupportedMediaType",
  "416": "RangeNotSatisfiable",
  "417": "ExpectationFailed",
  "421": "MisdirectedRequest",
  "422": "UnprocessableContent",
  "423": "Locked",
  "424": "FailedDependency",
  "425": "TooEarly",
  "426": "UpgradeRequired",
  "428": "PreconditionRequired",
  "429": "RateLimited",
  "431": "RequestHeaderFieldsTooLarge",
  "451": "UnavailableForLegalReasons",
  "500": "InternalError",
  "501": "NotImplemented",
  "502": "BadGateway",
  "503": "ServiceUnavailable",
  "504": "GatewayTimeout",
  "507": "InsufficientStorage",
  "4XX": "ClientRefusal",
  "5XX": "ServerRefusal",
  default: "OtherRefusal"
}

const keyOf = ({ shape, status, text }: Failure): string => {
  if (shape === undefined) return status
  const body = shape._tag === "Reference" ? shape.name : Shape.digestOf(shape).slice(0, 12)
  return [status, body, ...(text === undefined ? [] : [text])].join(" ")
}
const order = ({ status }: Failure) => (/^\d+$/.test(status) ? Number(status) : status === "default" ? 9_999 : 1_000)

/** How a refusal is recognized, and the type of its body, if it has one. */
const ruleOf = (
  { shape, text }: Failure,
  context: Codec.Context
): Partial<Codec.Written> & Pick<Codec.Written, "code"> => {
  if (shape === undefined) return { code: "Refusal.status" }
  const schema = Codec.ofBody(shape, context)
  // of any JSON, an empty object is a body too
  const isAny = shape._tag === "Json"
  const body = Layout.call("Refusal.jsonBody", [isAny ? "Schema.Unknown" : schema.code])
  const whole = Codec.isExact(shape, context) ? Layout.call("Refusal.exact", [body]) : body
  const types = [schema.type, ...(text === undefined ? [] : ["string"])]
  return {
    type: isAny ? "typeof Schema.Unknown" : Layout.generic("Schema.Codec", [Layout.union(types), "unknown"]),
    code: text === undefined ? whole : Layout.call("Refusal.orText", [whole, Literal.text(text)])
  }
}

/** The name of an operation in one of a type; a verb alone says less than with its group. */
const operationOf = (model: OperationModel): string => {
  const { bare, owner } = OperationId.read(model)
  const words = [...owner, ...bare]
  return Names.pascal(Names.camelOf(words.length > 1 ? words : [...OperationId.groupOf(model), ...words]))
}

/** The words that tell a body without a name from others of its status: the group that shares it, or the first operation. */
const prefixesOf = (models: ReadonlyArray<OperationModel>): ReadonlyArray<string> => {
  const [first, ...others] = models
  if (first === undefined) return []
  const isShared = others.length > 0 && others.every(({ tag }) => tag === first.tag)
  return [...(isShared ? [Names.pascal(Names.camelOf(OperationId.groupOf(first)))] : []), operationOf(first)]
}

/** The classes of refusals, one for each status and body; those that a manifest locks keep their names. */
export const make = (models: ReadonlyArray<OperationModel>, locked: ReadonlyMap<string, string>) => {
  const uses = Map.groupBy(
    models.flatMap((model) => model.failures.map((failure) => ({ failure, model }))),
    ({ failure }) => keyOf(failure)
  )
  // the name of a body that is gone is free for the one in its place
  const allocator = Names.allocator(Array.from(uses.keys()).flatMap((key) => locked.get(key) ?? []))
  const names = new Map(Array.from(uses.keys(), (key) => [key, locked.get(key) ?? ""]))
  // the status alone is the name of the body that most operations have
  const ordered = [...uses].toSorted(([, one], [, other]) => other.length - one.length)
  for (const [key, own] of ordered) {
    const [first] = own
    if (first === undefined || locked.has(key)) continue
    const { shape, status } = first.failure
    const base = statuses[status] ?? `Status${status}`
    const told =
      shape?._tag === "Reference"
        ? [base + shape.name]
        : prefixesOf(own.map(({ model }) => model)).map((prefix) => prefix + base)
    const free = [base, ...told].find((name) => !allocator.has(name))
    names.set(key, allocator.take(free ?? told.at(-1) ?? base))
  }
  return {
    /** By status and body. */
    names,
    /** The names of an operation's classes: exact statuses first, then ranges, then the rest. */
    of: ({ failures }: OperationModel): ReadonlyArray<string> =>
      failures
        .toSorted((one, other) => order(one) - order(other))
        .flatMap((failure) => names.get(keyOf(failure)) ?? []),
    code: (context: Codec.Context): string =>
      Array.from(uses, ([key, [use]]) => {
        if (use === undefined) return ""
        const { status } = use.failure
        const name = names.get(key) ?? ""
        const code = /^\d+$/.test(status) ? status : Literal.text(status)
        const tag = Literal.text(name)
        const { code: rule, type: body } = ruleOf(use.failure, context)
        const call = Layout.call("CallError.refusal", [tag, code, rule])
        const base = Layout.generic("CallError.RefusalReason", [tag, code, ...(body === undefined ? [] : [body])])
        const declared = Layout.render([`export interface ${name} extends `, base, " {}"])
        const own = [tag, code, body ?? "undefined", name]
        const type = Layout.generic("CallError.RefusalClass", own)
        const broken = body === undefined ? type : Layout.brokenGeneric("CallError.RefusalClass", own)
        return `${declared}\n${Constant.write(name, type, call, broken)}`
      }).join("\n")
  }
}
