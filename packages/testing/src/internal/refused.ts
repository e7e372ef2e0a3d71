/** What a mock refuses itself, as the operation declares it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Headers from "effect/http/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Body from "@cloud-management/client/Body"
import type * as Operation from "@cloud-management/client/Operation"
import * as Example from "./example.ts"

const names = ["message", "detail", "error", "title", "msg", "description", "reason"]

/** The same body, with a text in the field that says why, or in a new one. */
const saying = (body: unknown, text: string): unknown => {
  if (!Predicate.isObject(body)) return Predicate.isString(body) ? text : body
  const said = new Map<string, unknown>(Object.entries(body))
  return { ...body, [names.find((name) => Predicate.isString(said.get(name))) ?? "message"]: text }
}

/** A response with a text: an example of the body that the operation declares for the status, or else a `message`. */
export const make = (
  { errors }: Pick<Operation.Any, "errors">,
  status: number,
  text: string,
  seed: string
): HttpServerResponse.HttpServerResponse => {
  const ranks = [status, `${String(status)[0]}XX`, "default"]
  for (const { rule } of ranks.flatMap((rank) => errors.filter(({ status }) => status === rank))) {
    if (rule?.body === undefined) continue
    const encode = Schema.encodeUnknownResult(Body.json(rule.body).form ?? rule.body)
    const example = Result.flatMap(Example.make(rule.body, seed), encode)
    if (Result.isFailure(example)) continue
    const said = saying(example.success, text)
    const read = rule.recognize(said, status, "", Headers.empty)
    const body = read === undefined || "isOurs" in read ? example.success : said
    return HttpServerResponse.jsonUnsafe(body, { status })
  }
  return HttpServerResponse.jsonUnsafe({ message: text }, { status })
}
