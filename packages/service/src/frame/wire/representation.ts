import * as Schema from "effect/Schema"
import type * as Body from "@cloud-management/client/Body"
import * as Envelope from "@cloud-management/client/Envelope"
import { nameOf, type Any } from "@cloud-management/client/Operation"
import * as Strict from "./strict.ts"

// The document shows the strict side of core's schemas, since this service sends no less. A schema that is not described here
// is shown as it is.

const { describe } = Strict

export const words = (description: string, ...examples: ReadonlyArray<unknown>): Strict.Annotations => ({
  description,
  ...(examples.length > 0 && { examples })
})

export const exampleRequestId = "0b2c1f5e-6d3a-4c7b-9e8f-1a2b3c4d5e6f"

export const requestId = "Identifies the request, in the service's log of failures and in its audit records."

export const RequestId = Schema.String.annotate({
  identifier: "RequestId",
  description: requestId,
  format: "uuid",
  examples: [exampleRequestId]
})

const status = (example: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })).annotate({
    description: "The HTTP status.",
    examples: [example]
  })
const success = status(200)

const envelopes: ReadonlyArray<Strict.Entry> = [
  describe(
    Envelope.Failure,
    { description: "The envelope of a refusal." },
    {
      status: status(404),
      error: words("A code for programs, a colon, and a text for people.", "NOT_FOUND: Key is not found"),
      requestId: RequestId
    }
  ),
  describe(
    Envelope.Success,
    { description: "The envelope of a success that has no result." },
    { status: success, requestId: RequestId }
  ),
  // of every envelope
  [Envelope.Success.fields.status.ast, () => success],
  [Envelope.Success.fields.requestId.ast, () => RequestId]
]

export const make = (entries: Iterable<Strict.Entry> = []): Strict.Strict => Strict.make([...envelopes, ...entries])

export const Failure = make()(Envelope.Failure)

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** An envelope has the operation's name, as in `OrganizationsList`. */
export const ofSuccess = (operation: Any, strict: Strict.Strict): Body.Success => {
  const { success } = operation
  if (success._tag === "Stream" || success._tag === "Redirect") return success
  return success._tag === "OneOf"
    ? { ...success, bodies: success.bodies.map((body) => ofBody(operation, body, strict)) }
    : ofBody(operation, success, strict)
}

const ofBody = <B extends Body.SingleSuccess | Body.Alternative>(operation: Any, body: B, strict: Strict.Strict): B => {
  if (body._tag !== "Json" && body._tag !== "Envelope") return body
  const schema = strict(body.schema)
  if (body._tag === "Json" || Schema.resolveAnnotations(schema)?.identifier !== undefined) return { ...body, schema }
  const identifier = capitalized(operation.group) + capitalized(operation.name)
  return { ...body, schema: schema.annotate({ identifier, description: `The envelope of ${nameOf(operation)}.` }) }
}
