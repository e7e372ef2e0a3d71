import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Headers } from "effect/http/Headers"
import type { Alternative, Choice, OneOf, SinglePayload } from "./bodies.ts"
import * as Content from "./content.ts"
import type { OpenResponse } from "./openResponse.ts"
import { property } from "./property.ts"

/**
 * Several payloads, of which a call sends one: `{ contentType, value }`.
 */
export function choice<const Payloads extends ReadonlyArray<SinglePayload>>(...payloads: Payloads): Choice<Payloads>
// the schema is a union of structs, each with the literal of its payload, which the compiler does not follow through `map`
export function choice(...payloads: ReadonlyArray<SinglePayload>): object {
  const schema: Schema.Codec<unknown, unknown> = Schema.Union(
    payloads.map(({ contentType, schema }) =>
      Schema.Struct({ contentType: Schema.Literal(contentType), value: schema })
    )
  )
  const chosenOf = (value: unknown) =>
    payloads.find(({ contentType }) => contentType === property(value, "contentType"))
  return {
    _tag: "Choice",
    schema,
    payloads,
    hold: (input: unknown) => {
      const value = property(input, "payload")
      return chosenOf(value)?.hold?.({ payload: property(value, "value") })
    },
    write: (value: unknown) => {
      const chosen = chosenOf(value)
      if (chosen === undefined) {
        const types = payloads.map(({ contentType }) => contentType)
        return Result.fail(Content.unexpected(types.join(" | "), "contentType"))
      }
      const more = Object.keys(value ?? {}).find((name) => name !== "contentType" && name !== "value")
      return more === undefined
        ? chosen.write(property(value, "value"))
        : Result.fail(Content.unexpected("no excess property", more))
    }
  }
}

/**
 * Several successes, told apart by the status, and by the media type where two have one status, such as JSON and events:
 * the value of a call is `{ status, value }`. None of them can be a redirect, which is the success of an operation that
 * has no other.
 *
 * **Example** (Declaring an operation that is done at once, or later)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Done = Body.oneOf(
 *   Body.status(200, Body.json(Schema.Struct({ id: Schema.String }))),
 *   Body.status(202, Body.empty)
 * )
 * ```
 */
export function oneOf<const Bodies extends ReadonlyArray<Alternative>>(...bodies: Bodies): OneOf<Bodies>
// the schema is a union of structs, each with the literal of its status, which the compiler does not follow through `map`
export function oneOf(...bodies: ReadonlyArray<Alternative>): object {
  const whole = (schemaOf: (body: Alternative) => Schema.Codec<unknown, unknown>): Schema.Codec<unknown, unknown> =>
    Schema.Union(bodies.map((body) => Schema.Struct({ status: Schema.Literal(body.status), value: schemaOf(body) })))
  const streams = bodies.filter((body) => body._tag === "Stream")
  const opened = new WeakSet<object>()
  const isOpened = (value: unknown) => Predicate.isObject(value) && opened.has(value)
  const bodyOf = ({ headers, status }: { readonly headers: Headers; readonly status: number }) => {
    const declared = bodies.filter((body) => body.status === status)
    const type = Content.essence(headers["content-type"])
    return declared.find(({ accept }) => Content.essence(accept) === type) ?? declared[0]
  }
  const read: Content.Read = (bytes, head, sanitize) => {
    const body = bodyOf(head)
    return body === undefined
      ? Result.fail(`has the status ${head.status}, which the operation does not declare`)
      : Result.map(body.read(bytes, head, sanitize), (value) => ({ status: head.status, value }))
  }
  return {
    _tag: "OneOf",
    schema: whole(({ schema }) => schema),
    form: whole(({ schema, form = schema }) => form),
    bodies,
    accept: [...new Set(bodies.map(({ accept }) => accept))].join(", "),
    read,
    ...(streams.length > 0 && {
      open: (response: OpenResponse) => {
        const { status } = response.response
        const value = bodyOf(response.response)?.open?.(response)
        const success = value && { status, value }
        if (success) opened.add(success)
        return success
      },
      iterate: ((value, run, convert) =>
        isOpened(value)
          ? { status: property(value, "status"), value: streams[0]?.iterate?.(property(value, "value"), run, convert) }
          : convert(value)) satisfies Content.Iterate
    }),
    takes: (status: number) => bodies.some((body) => body.status === status),
    unwrap: (value: unknown) => {
      const body = bodies.find(({ status }) => status === property(value, "status"))
      return body?.unwrap === undefined || isOpened(value)
        ? value
        : { status: body.status, value: body.unwrap(property(value, "value")) }
    }
  }
}
