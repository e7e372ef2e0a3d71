import { expect, it } from "@effect/vitest"
import type { Registry } from "@cloud-management/core/Client"
import type * as Operation from "@cloud-management/core/Operation"
import { operations as ours } from "@cloud-management/core/Operations"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Generated from "./Generated.ts"

/** The code that is generated from the document of our own service. */
const { files, refused, warnings } = Generated.of(
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8"))
)

const written: ReadonlyArray<Operation.Any> = Object.values<Registry[string]>(ours).flatMap((group) =>
  Object.values(group)
)

it("our own document generates everything, and warns of nothing", () => {
  expect(refused).toEqual([])
  expect(warnings).toEqual([])
})

it.each(written.map((operation) => [`${operation.group}.${operation.name}`, operation] as const))(
  "%s is generated as it was written by hand, but for what a document cannot say",
  (id, { errors, group, method, params, path, stability, success, summary }) => {
    const code = files.get(`operations/${group}.ts`) ?? ""
    const start = code.indexOf(`id: "${id}"`)
    const text = code.slice(start, code.indexOf("}))()", start))
    // the same request
    expect(text).toContain(`method: "${method}"`)
    expect(text).toContain(`path: "${path}"`)
    expect(text).toContain(`summary: "${summary}"`)
    expect(text.includes(`stability: "beta"`)).toBe(stability === "beta")
    for (const name of Object.keys(Object(Reflect.get(Object(params), "fields")))) expect(text).toContain(`${name}: `)
    // the same content
    expect(text).toContain(success.deletedValue === undefined ? "Envelope.withResult(" : "Envelope.withoutResult")
    // the same refusals, and those that any request can get; a 404 has no name of its own
    const names: Readonly<Record<number, string>> = { 404: "NotFound" }
    for (const { name, status } of errors.map((error) => ({
      name: error.prototype.constructor.name,
      status: error.status
    }))) {
      expect(text).toContain(`R.${names[Number(status)] ?? name}`)
    }
  }
)

it("what our document does not say: brands of IDs, and the scope of an operation", () => {
  const text = [...files.values()].join("\n")
  expect(text).not.toContain("brand")
  expect(text).not.toContain("scope:")
})
