import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

export type Codec = Schema.Codec<unknown, unknown>

export type Strict = (schema: Codec) => Codec

export type Annotations = Schema.Annotations.Bottom<unknown, readonly []>

/** Annotations of a struct for a document. A schema in place of annotations is a field that is narrower still. */
export interface Description {
  readonly struct: Annotations
  readonly fields: { readonly [name: string]: Annotations | Codec }
}

/** A schema, and its description; a function in place of that makes a schema that is narrower still. */
export type Entry = readonly [SchemaAST.AST, Description | ((strict: Strict) => Codec)]

export const describe = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  struct: Annotations,
  fields: { readonly [Name in keyof Fields]: Annotations | Codec }
): Entry => [schema.ast, { struct, fields }]

export const isCodec = (value: unknown): value is Codec => Schema.isSchema(value)

/** Core's schemas are lenient towards services that leave fields out; this service sends all, and shows all. */
export const make = (entries: Iterable<Entry> = []): Strict => {
  const descriptions = new Map(entries)
  // one for each schema, so that a document has it once
  const made = new Map<SchemaAST.AST, Codec>()
  const derive = (schema: Codec): Codec => {
    const description = descriptions.get(schema.ast)
    if (typeof description === "function") return description(strict)
    if (Predicate.hasProperty(schema, "strict") && isCodec(schema.strict)) return strict(schema.strict)
    if (Predicate.hasProperty(schema, "fields") && Predicate.isObject(schema.fields)) {
      const fields = Record.map(Record.filter(schema.fields, isCodec), (field, name) => {
        const given = description?.fields[name]
        if (given === undefined) return strict(field)
        return isCodec(given) ? given : strict(field).annotate(given)
      })
      const identifier = Schema.resolveAnnotations(schema)?.identifier
      const struct: Codec = Schema.Struct(fields)
      return struct.annotate({ ...(identifier !== undefined && { identifier }), ...description?.struct })
    }
    if (Predicate.hasProperty(schema, "value") && isCodec(schema.value)) return Schema.Array(strict(schema.value))
    return schema
  }
  const strict: Strict = (schema) => {
    const known = made.get(schema.ast)
    if (known !== undefined) return known
    const derived = derive(schema)
    made.set(schema.ast, derived)
    return derived
  }
  return strict
}
