import { expect, it } from "@effect/vitest"
import { acme, analytics, readyEndpoint } from "@cloud-management/testing/Fixtures"
import * as Tables from "../src/sql/tables.ts"

it.each(["1", "{}", '["a", 1]', "[null]", "null", "{"])("a list of names that holds %s is not a row", (names) => {
  const values = [readyEndpoint, acme, analytics, "", "", "", names, "[]", "{}"]
  expect(() => Tables.reversePrivateEndpoints.row.read(values)).toThrow(/unexpected content|JSON/)
})
