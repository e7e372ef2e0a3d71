import * as Credentials from "@cloud-management/client/Credentials"
import * as OptionRules from "@cloud-management/client/OptionRules"
import { operations } from "@cloud-management/core/Operations"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { InvalidOptionError } from "../CallError.ts"
import type * as Types from "../Client.ts"
import type { CloudManagementConstructor, CloudManagementOptions } from "../CloudManagement.ts"
import * as Settings from "./settings.ts"

const variables = {
  baseUrl: "CLOUD_MANAGEMENT_BASE_URL",
  keyId: "CLOUD_MANAGEMENT_KEY_ID",
  keySecret: "CLOUD_MANAGEMENT_KEY_SECRET"
} as const

/** Null is missing too, in a program without types. */
const text: OptionRules.Kind = [OptionRules.text[0], (value) => value === null || Predicate.isString(value)]

const environment = (name: string): string | undefined => {
  const { at } = Settings
  const value = at(at(at(globalThis, "process"), "env"), name)
  // an empty variable is treated as unset
  return Predicate.isString(value) && value !== "" ? value : undefined
}

/** A key is Basic. Anything else that the function `credentials` returned is judged where it is used. */
const credentialsOf = (value: unknown): unknown => {
  const keyId = Settings.at(value, "keyId")
  const keySecret = Settings.at(value, "keySecret")
  return Predicate.isString(keyId) && Predicate.isString(keySecret) ? Credentials.make(keyId, keySecret) : value
}

/**
 * The options of any client, with what the environment has. Where settings are missing, the calls reject with one error that
 * names all of them: a build loads a program without them.
 */
const resolve = ({ baseUrl, credentials, keyId, keySecret, ...options }: CloudManagementOptions): Types.Options => {
  if (credentials !== undefined && (keyId ?? keySecret) !== undefined) {
    throw new InvalidOptionError("credentials", "credentials replaces keyId and keySecret: pass one or the other")
  }
  const passed = { baseUrl, keyId, keySecret }
  const missing: Array<keyof typeof variables> = []
  const setting = (name: keyof typeof variables): string => {
    const value = passed[name] ?? environment(variables[name])
    if (value === undefined) missing.push(name)
    return value ?? ""
  }
  const url = setting("baseUrl")
  const given = Predicate.isFunction(credentials) ? async () => credentialsOf(await credentials()) : credentials
  const key = given ?? Credentials.make(setting("keyId"), setting("keySecret"))
  const [first] = missing
  // oxlint-disable-next-line typescript/consistent-type-assertions -- what the function returns is judged when it has
  if (first === undefined) return { ...options, baseUrl: url, credentials: key } as Types.Options
  const message = `missing options: ${Settings.list(missing)}. Pass them to new CloudManagement({ … }), or set ${Settings.list(missing.map((name) => variables[name]))}`
  const fail = () => Promise.reject(new InvalidOptionError(first, message))
  return { ...options, baseUrl: "https://missing.invalid", credentials: fail }
}

export const of = (Client: Types.ClientConstructor): CloudManagementConstructor => {
  const Ours: unknown = class CloudManagement extends Client<typeof operations> {
    constructor(options: CloudManagementOptions = {}) {
      Settings.check(options, { ...Record.map(variables, () => text), ...Settings.ofClient, baseUrl: text })
      super({ ...resolve(options), operations })
    }
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the class has the methods of the operations
  return Ours as CloudManagementConstructor
}
