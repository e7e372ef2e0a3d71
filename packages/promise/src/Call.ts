import { toHeaders } from "./internal/headers.ts"

/** A success with its content, status, headers and other details. */
export interface WithResponse<A> {
  /** The value that the call's promise resolves to. */
  readonly data: A
  /** HTTP status. */
  readonly status: number
  /** Headers of the response, without those that `Headers` rejects, such as values above U+00FF. */
  readonly headers: Headers
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined
  /** How many requests were made. */
  readonly attempts: number
}

/** The same with the headers as the client has them. */
interface Received<A> extends Omit<WithResponse<A>, "headers"> {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A running call: a promise of its result.
 *
 * **Gotchas**
 *
 * If a schema of your own decodes to an object with a method `then`, `await` calls that method, as for any promise. With
 * `withResponse()`, `data` is the object itself.
 *
 * **Example** (Reading the ID of a request)
 *
 * ```ts
 * import type { CloudManagement } from "@cloud-management/promise"
 *
 * const trace = async (cloud: CloudManagement) => {
 *   const { data, requestId } = await cloud.organizations.list().withResponse()
 *   console.log(`${data[0].name} (request ${requestId})`)
 * }
 * ```
 */
export class Call<A> extends Promise<A> {
  readonly #received: Promise<Received<A>>

  /** `then` returns a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** The methods of a client make calls. */
  constructor(received: Promise<Received<A>>) {
    super((resolve, reject) => {
      received.then(({ data }) => resolve(data), reject)
    })
    this.#received = received
  }

  /** Resolves to the result with the status, the headers and the ID of the request. Rejects like the call. */
  withResponse(): Promise<WithResponse<A>> {
    // an error is reported by the promise that is returned
    this.catch(() => {})
    return this.#received.then((received) => ({ ...received, headers: toHeaders(received.headers) }))
  }
}
