import * as Predicate from "effect/Predicate"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Failure } from "./cassette.ts"

type Cause = NonNullable<Failure["causes"]>[number]

const read = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** The texts of an error, since its objects can hold the request. */
const describe = (error: unknown): Cause => {
  const [name, code, syscall] = [read(error, "name"), read(error, "code"), read(error, "syscall")]
  const proxyOrigin = read(error, "proxyOrigin")
  const message = Predicate.isString(error) ? error : read(error, "message")
  return {
    ...(Predicate.isString(name) && name !== "Error" && { name }),
    ...(Predicate.isString(message) && { message }),
    ...(Predicate.isString(code) && { code }),
    ...(Predicate.isString(syscall) && { syscall }),
    ...(Predicate.isString(proxyOrigin) && { proxyOrigin })
  }
}

/** Reads an error. Of the causes of a cause, 5 are kept, since a cause can be cyclic. */
export const fromError = ({ reason }: HttpClientError.HttpClientError): Failure => {
  const causes: Array<Cause> = []
  for (let cause = reason.cause; cause !== undefined && causes.length < 5; cause = read(cause, "cause")) {
    causes.push(describe(cause))
  }
  return {
    reason: reason._tag,
    ...(reason.description !== undefined && { description: reason.description }),
    ...(causes.length > 0 && { causes })
  }
}

/** The cause that a failure had, as errors with the same texts. */
export const causeOf = ({ causes = [] }: Failure): unknown =>
  causes.reduceRight<unknown>(
    (cause, { message, ...texts }) => Object.assign(new Error(message, cause === undefined ? {} : { cause }), texts),
    undefined
  )

/** The error that a request had. `Aborted` is none. */
export const toError = (
  failure: Failure,
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse
): HttpClientError.HttpClientError | undefined => {
  const cause = causeOf(failure)
  const { description } = failure
  const base = { request, ...(cause !== undefined && { cause }), ...(description !== undefined && { description }) }
  switch (failure.reason) {
    case "Aborted":
      return undefined
    case "TransportError":
    case "EncodeError":
    case "InvalidUrlError":
      return new HttpClientError.HttpClientError({ reason: new HttpClientError[failure.reason](base) })
    case "StatusCodeError":
    case "DecodeError":
    case "EmptyBodyError":
      return new HttpClientError.HttpClientError({
        reason: new HttpClientError[failure.reason]({ ...base, response })
      })
  }
}
