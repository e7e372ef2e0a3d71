import * as Codec from "./Codec.ts"
import * as Constant from "./Constant.ts"
import * as Layout from "./Layout.ts"
import * as Literal from "../model/Literal.ts"
import * as Names from "../model/Names.ts"
import type { Failure, OperationModel } from "../model/OperationModel.ts"
import * as Shape from "../model/Shape.ts"

/** The classes of refusals, one for each status and body. */
export interface Failures {
  /** The names of an operation's classes: exact statuses first, then ranges, then the rest. */
  readonly of: (model: OperationModel) => ReadonlyArray<string>
  /** The names, by status and body. */
  readonly names: ReadonlyMap<string, string>
  /** The code of all classes. */
  readonly code: (context: Codec.Context) => string
}

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

const keyOf = ({ shape, status }: Failure): string => {
  if (shape === undefined) return status
  return `${status} ${shape._tag === "Reference" ? shape.name : Shape.digestOf(shape).slice(0, 12)}`
}
const order = ({ status }: Failure) => (/^\d+$/.test(status) ? Number(status) : status === "default" ? 9_999 : 1_000)

/** How a refusal is recognized. */
const ruleOf = (shape: Shape.Shape | undefined, context: Codec.Context): Layout.Layout => {
  if (shape === undefined) return "Refusal.status"
  // of any JSON, an empty object is a body too
  if (shape._tag === "Json") return Layout.call("Refusal.jsonBody", ["Schema.Unknown"])
  const body = Layout.call("Refusal.jsonBody", [Codec.code(shape, Codec.ofBody(shape, context))])
  return Codec.isExact(shape, context) ? Layout.call("Refusal.exact", [body]) : body
}

/** Names the refusals of all operations; those that a manifest locks keep theirs. */
export const make = (models: ReadonlyArray<OperationModel>, locked: ReadonlyMap<string, string>): Failures => {
  const all = new Map<string, Failure>()
  for (const failure of models.flatMap(({ failures }) => failures))
    all.set(keyOf(failure), all.get(keyOf(failure)) ?? failure)
  // the name of a body that is gone is free for the one in its place
  const allocator = Names.allocator(Array.from(all.keys()).flatMap((key) => locked.get(key) ?? []))
  const names = new Map<string, string>()
  for (const [key, failure] of all) {
    const base = statuses[failure.status] ?? `Status${failure.status}`
    const body = failure.shape?._tag === "Reference" ? failure.shape.name : ""
    const plain = allocator.has(base) && body !== "" ? base + body : base
    names.set(key, locked.get(key) ?? allocator.take(plain))
  }
  return {
    names,
    of: ({ failures }) =>
      failures
        .toSorted((one, other) => order(one) - order(other))
        .flatMap((failure) => names.get(keyOf(failure)) ?? []),
    code: (context) =>
      Array.from(all, ([key, { shape, status }]) => {
        const name = names.get(key) ?? ""
        const code = /^\d+$/.test(status) ? status : Literal.text(status)
        const tag = Literal.text(name)
        const body =
          shape === undefined
            ? []
            : [
                shape._tag === "Json"
                  ? "typeof Schema.Unknown"
                  : Layout.generic("Schema.Codec", [Codec.type(shape, context), "unknown"])
              ]
        const rule = ruleOf(shape, context)
        const types = [tag, code, ...body]
        const call = Layout.call("CallError.refusal", [tag, code, rule])
        const base = Layout.generic("CallError.RefusalReason", types)
        const declared = Layout.render([`export interface ${name} extends `, base, " {}"])
        const own = [tag, code, body[0] ?? "undefined", name]
        const type = Layout.generic("CallError.RefusalClass", own)
        const broken = shape === undefined ? type : Layout.brokenGeneric("CallError.RefusalClass", own)
        return `${declared}\n${Constant.write(name, type, call, broken)}`
      }).join("\n")
  }
}
