import type * as SchemaAST from "effect/SchemaAST"

/** The fields of a struct, or those of all members of a union. */
export const propertiesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> =>
  ast._tag === "Objects" ? ast.propertySignatures : ast._tag === "Union" ? ast.types.flatMap(propertiesOf) : []
