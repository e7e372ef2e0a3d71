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

/** The rows of a record. Those of parts are named by the way to them, `Owner name`, as far as labels leave room for values. */
export const rows = (record: unknown, isDeep = false, path: ReadonlyArray<string> = []): ReadonlyArray<Table.Row> =>
  Object.entries(Predicate.isObjectKeyword(record) ? record : { result: record }).flatMap(
    ([name, value]: [string, unknown], i): ReadonlyArray<Table.Row> => {
      const way = [...path, ...(Array.isArray(record) ? [`${i + 1}`] : words(name.replace(/At$/, "")))]
      if (isDeep && way.length < 12 && [value].flat().some(Predicate.isObjectKeyword)) return rows(value, isDeep, way)
      return [[sentence(way), Array.isArray(value) ? value.map(brief) : brief(value)]]
    }
  )

/** The records in a result, and what is beside them: in `{ coupons, meta }`, the coupons, and in a page with a number, too. */
export const held = (result: unknown, isPage: boolean): readonly [records: unknown, beside: object] => {
  const fields = Object.entries(Predicate.isObject(result) ? result : {})
  const isBeside = ([name, value]: readonly [string, unknown]) =>
    /^_?(meta(data)?|links?|paging|pagination|page_?info)$/i.test(name) || (isPage && !Predicate.isObjectKeyword(value))
  const [field, ...others] = fields.filter((field) => !isBeside(field))
  return field !== undefined && others.length === 0 && [field[1]].flat().every(Predicate.isObjectKeyword)
    ? [field[1], Object.fromEntries(fields.filter(isBeside))]
    : [result, {}]
}
