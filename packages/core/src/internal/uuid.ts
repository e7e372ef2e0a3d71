import * as Schema from "effect/Schema"

/** Anchored: what passes has no `/`, no `.` and no `%`, so it cannot change a request's path. */
const pattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

/**
 * The textual shape of RFC 9562 §4 (8-4-4-4-12 hexadecimal digits), with any version and variant: the API's own
 * examples are `12345678-1234-1234-1234-123456789012`, which names no version.
 */
export const Uuid = Schema.String.check(
  Schema.makeFilter((text) => pattern.test(text), {
    expected: "a UUID (8-4-4-4-12 hexadecimal digits)",
    examples: ["12345678-1234-1234-1234-123456789012"],
    toJsonSchema: () => ({ format: "uuid", pattern: pattern.source }),
    arbitraryConstraint: { patterns: [{ source: pattern.source, flags: "" }] }
  })
)
