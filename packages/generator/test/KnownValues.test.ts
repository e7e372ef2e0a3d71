import { beforeAll, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Mock } from "@cloud-management/testing"
import { DateTime } from "effect"
import * as Document from "./document.ts"
import * as Folder from "./Folder.ts"
import * as Generated from "./Generated.ts"

const { text } = Document
const of = (format: string) => ({ ...text, format })

const fields: Readonly<Record<string, readonly [schema: object, fits: (value: unknown) => boolean]>> = {
  object: [{ const: "organization" }, (value) => value === "organization"],
  state: [{ ...text, enum: ["active", "pending"] }, (value) => value === "active" || value === "pending"],
  version: [{ type: "integer", const: 7 }, (value) => value === 7],
  level: [{ type: "number", enum: [0.5, 2] }, (value) => value === 0.5 || value === 2],
  done: [{ type: "boolean", const: true }, (value) => value === true],
  either: [{ enum: ["a", 1, false] }, (value) => ["a", 1, false].some((known) => known === value)],
  nothing: [{ type: ["string", "null"], enum: ["a", null] }, (value) => value === "a" || value === null],
  states: [
    Document.list({ ...text, enum: ["on", "off"] }),
    (value) => Array.isArray(value) && value.every((one) => one === "on" || one === "off")
  ],
  at: [of("date-time"), DateTime.isDateTime],
  day: [of("date"), (value) => /^\d{4}-\d\d-\d\d$/.test(String(value))],
  hour: [of("time"), (value) => /^\d\d:\d\d:\d\dZ$/.test(String(value))],
  id: [of("uuid"), (value) => /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(String(value))],
  email: [of("email"), (value) => /^\w+@example\.com$/.test(String(value))],
  page: [of("uri"), (value) => URL.canParse(String(value))],
  link: [of("url"), (value) => URL.canParse(String(value))],
  host: [of("hostname"), (value) => /^[a-z.]+$/.test(String(value))],
  bytes: [of("byte"), (value) => /^[\w+/]+=*$/.test(String(value))],
  name: [of("of-ours"), (value) => /^name \d+$/.test(String(value))]
}

const folder = Folder.ofFile()
let module: Generated.Module
beforeAll(async () => {
  const schema = Document.object(
    Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])),
    Object.keys(fields)
  )
  Generated.write(folder, Generated.of(Document.make({ operations: Document.put("thing", schema) })))
  module = await Generated.load(folder)
})

it.each(Object.keys(fields))("a mock of a generated folder makes of a field the values that are known: %s", (name) => {
  const operation = Generated.find(module, "thing")
  const examples = Array.from({ length: 8 }, (_, seed) => Mock.make(module.operations, { seed }).example(operation))
  for (const example of examples) expect(Object(example)[name]).toSatisfy(fields[name]?.[1] ?? (() => false))
})
