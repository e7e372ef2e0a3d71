import type { Credentials } from "@cloud-management/client/Credentials"
import type { operations } from "@cloud-management/core/Operations"
import type * as Client from "./Client.ts"

/** An API key. */
export interface Key {
  readonly keyId: string
  readonly keySecret: string
}

/** The options of a client of the Cloud Management API. */
export interface CloudManagementOptions extends Omit<Client.Options, "baseUrl" | "credentials"> {
  /**
   * The URL of the service: absolute, `http` or `https`; a path is kept as a prefix. Default: the environment variable
   * `CLOUD_MANAGEMENT_BASE_URL`. With `http`, the key is sent in plain text.
   */
  readonly baseUrl?: string | undefined
  /** ID of the key that signs every request. Default: the environment variable `CLOUD_MANAGEMENT_KEY_ID`. */
  readonly keyId?: string | undefined
  /**
   * Secret of that key. Default: the environment variable `CLOUD_MANAGEMENT_KEY_SECRET`. It never appears in an error.
   */
  readonly keySecret?: string | undefined
  /**
   * Replaces `keyId` and `keySecret`: credentials of another kind, or a function that reads a key before the first call and
   * again after a 401, as for every client.
   */
  readonly credentials?: Credentials | (() => Key | Credentials | Promise<Key | Credentials>) | undefined
}

/** The client of the Cloud Management API. */
export interface CloudManagement extends Client.Client<typeof operations> {}

/** Creates clients for the Cloud Management API. */
export interface CloudManagementConstructor {
  /**
   * Creates a client for the Cloud Management API. Nothing is sent before the first call.
   *
   * Throws an `InvalidOptionError` if an option is invalid or does not exist. If settings are missing both in the options and
   * in the environment, the calls reject with one: a build, such as that of a container, loads programs without them.
   */
  new (options?: CloudManagementOptions): CloudManagement
}
