import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Anchored: what passes has no `/`, no `.` and no `%`, so it cannot change a request's path. */
const pattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

/** A UUID with a brand. */
interface Identifier {
  readonly identifier: string
  readonly makeOption: (text: string, options?: Schema.MakeOptions) => Option.Option<string>
}

const expected = "a UUID (8-4-4-4-12 hexadecimal digits)"

/**
 * The textual shape of RFC 9562 §4 (8-4-4-4-12 hexadecimal digits), with any version and variant: the API's own
 * examples are `12345678-1234-1234-1234-123456789012`, which names no version.
 */
export const Uuid = Schema.String.check(
  Schema.makeFilter((text) => pattern.test(text), {
    expected,
    examples: ["12345678-1234-1234-1234-123456789012"],
    toJsonSchema: () => ({ format: "uuid", pattern: pattern.source }),
    arbitraryConstraint: { patterns: [pattern] }
  })
)

/** The identifier of one kind of thing. Its `make` throws an error that says what is wrong, which Effect's does not. */
export const identifier = <const Id extends Identifier>(Id: Id): Id =>
  Object.defineProperty(Id, "make", {
    value: (text: string, options?: Schema.MakeOptions) => {
      const id = Option.getOrUndefined(Id.makeOption(text, options))
      if (id === undefined) throw new TypeError(`${Id.identifier} must be ${expected}, not ${JSON.stringify(text)}`)
      return id
    }
  })
