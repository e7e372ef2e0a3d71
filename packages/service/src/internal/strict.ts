import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** A schema of a value that comes and goes as JSON. */
export type Codec = Schema.Codec<unknown, unknown>

/** What a document says of a schema beside its shape. */
export type Words = Schema.Annotations.Bottom<unknown, readonly []>

const isCodec = (value: unknown): value is Codec => Schema.isSchema(value)

const described = new Map<SchemaAST.AST, Codec>()

/**
 * The strict side of a schema of core, which is lenient towards services that leave fields out: what this service sends,
 * and what its document shows. Both sides have the same fields.
 */
export const strict = (schema: Codec): Codec => {
  const known = described.get(schema.ast)
  if (known !== undefined) return known
  if (Predicate.hasProperty(schema, "strict") && isCodec(schema.strict)) return strict(schema.strict)
  if (Predicate.hasProperty(schema, "fields") && Predicate.isObject(schema.fields)) {
    return Schema.Struct(Record.map(Record.filter(schema.fields, isCodec), strict))
  }
  if (Predicate.hasProperty(schema, "value") && isCodec(schema.value)) return Schema.Array(strict(schema.value))
  return schema
}

/**
 * Puts words to a struct and its fields, for documents; from now on they are on its strict side. A schema in place of words
 * is a field that this service keeps narrower still.
 */
export const describe = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  words: Words,
  fields: { readonly [Name in keyof Fields]: Words | Codec }
): Codec => {
  const given: Readonly<Record<string, Words | Codec>> = fields
  const struct: Codec = Schema.Struct(
    Record.map(Record.filter(schema.fields, isCodec), (field, name) => {
      const one = given[name]
      return one === undefined || isCodec(one) ? (one ?? strict(field)) : strict(field).annotate(one)
    })
  )
  const result = struct.annotate(words)
  described.set(schema.ast, result)
  return result
}
