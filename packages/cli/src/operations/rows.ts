import { Predicate } from "effect"
import type { operations } from "@cloud-management/core/Operations"
import * as Foreign from "../output/foreign.ts"
import type * as Table from "../output/table.ts"

export const groups: Readonly<Record<keyof typeof operations, string>> = {
  organizations: "organizations",
  apiKeys: "keys",
  reversePrivateEndpoints: "endpoints"
}

const acronyms = new Set(["api", "arn", "byoc", "dns", "id", "msk", "vpc"])

/** The words of a name: `keyId` has two, and so has `key_id`. */
export const words = (name: string): ReadonlyArray<string> =>
  name
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "")

/** Words as people write them: `API keys`. */
export const sentence = (words: ReadonlyArray<string>): string => {
  const text = words.map((word) => (acronyms.has(word) ? word.toUpperCase() : word)).join(" ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A value on one line; of a part, what is in its fields, such as `pe-1 (office)`. */
export const brief = (value: unknown): string => {
  if (!Predicate.isObjectKeyword(value))
    return typeof value === "string" ? value : Predicate.isNullish(value) ? "" : Foreign.toJson(value)
  const [first = "", ...rest] = Object.values(value).map(brief)
  const more = rest.filter((text) => text !== "")
  return more.length === 0 ? first : `${first} (${more.join(", ")})`
}

export const rows = (record: unknown): ReadonlyArray<Table.Row> =>
  Object.entries(Predicate.isObjectKeyword(record) ? record : { result: record }).map(
    ([name, value]: [string, unknown]) => [
      sentence(words(name.replace(/At$/, ""))),
      Array.isArray(value) ? value.map(brief) : brief(value)
    ]
  )
