import type * as Schema from "effect/Schema"
import type { CloudError, Local, Refusal } from "./CloudError.ts"

/** The names of a path's variables: `"/a/:x/b/:y"` has `"x" | "y"`. */
type Variables<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Variables<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/**
 * What an operation is: everything that the client, the service, the OpenAPI document and the conformance suite
 * derive their behaviour from.
 */
export interface Any {
  /** The resource it belongs to; the group of the client's method. */
  readonly group: string
  /** The verb; the name of the client's method. */
  readonly name: string
  /**
   * `GET` is safe and `DELETE` idempotent (RFC 9110 §9.2), so both may be sent again. No operation of the
   * specification has a request body.
   */
  readonly method: "GET" | "DELETE"
  /** Path template below the base URL, with `:name` for a variable. */
  readonly path: `/${string}`
  /** One line for people: the OpenAPI summary. */
  readonly summary: string
  /** The path's variables, each with a schema whose encoded side is a string. */
  readonly params: Schema.Codec<object, { readonly [name: string]: string }>
  /** The **whole** envelope of a success. */
  readonly success: Schema.Codec<{ readonly requestId?: string }, unknown>
  /** The refusals that the operation declares, at most one a status. */
  readonly errors: ReadonlyArray<Refusal>
  /** `beta`: the contract is declared stable, and no breaking change is expected (specification, section 9). */
  readonly stability: "stable" | "beta"
}

/**
 * The path's variables and the parameters name the same things. A value that does not fit `Any` is inferred as `Any`;
 * nothing is asked of it here, so that the compiler names the field that does not fit, and no other.
 */
type Agreement<Operation extends Any> = Any extends Operation
  ? unknown
  : (keyof Operation["params"]["Encoded"] extends Variables<Operation["path"]> ? unknown : { readonly params: never }) &
      (Variables<Operation["path"]> extends keyof Operation["params"]["Encoded"] ? unknown : { readonly path: never })

/**
 * Makes an operation: an identity function that keeps every literal type, and checks that the path's variables and
 * the parameters name the same things.
 *
 * @example
 * import * as Operation from "@cloud-management/core/Operation"
 * import { getReversePrivateEndpoint } from "@cloud-management/core/operations"
 *
 * // the same operation on a service that spells the path's segment otherwise
 * const getEndpoint = Operation.make({
 *   ...getReversePrivateEndpoint,
 *   path: "/v1/organizations/:organizationId/services/:serviceId/endpoints/:reversePrivateEndpointId"
 * })
 */
export const make = <const Operation extends Any>(operation: Operation & Agreement<Operation>): Operation => operation

/** What a caller passes. */
export type Params<Operation extends Any> = Operation["params"]["Type"]
/** What a caller gets: the whole envelope. */
export type Success<Operation extends Any> = Operation["success"]["Type"]
/** The refusals that the operation declares. */
export type Refusals<Operation extends Any> = Operation["errors"][number]["prototype"]
/** How a call of the operation fails. */
export type Failure<Operation extends Any> = CloudError<Refusals<Operation> | Local>
