import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

const of = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> =>
  ast._tag === "Objects" ? ast.propertySignatures : ast._tag === "Union" ? ast.types.flatMap(of) : []

/** The encoded fields of a struct, or those of all members of a union. */
export const propertiesOf = (schema: Schema.Constraint): ReadonlyArray<SchemaAST.PropertySignature> =>
  of(Schema.toEncoded(schema).ast)
