import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { onceOr } from "./once.ts"

type AST = SchemaAST.AST

const orElse = (node: unknown, other: AST): AST => (SchemaAST.isAST(node) ? node : other)

const copy = (ast: AST, changes: object): AST =>
  orElse(Object.assign(Object.create(Reflect.getPrototypeOf(ast)), ast, changes), ast)

/** What a function of a node, or of its author, gives: a node or a link to one, if it has it. */
const call = (from: object | undefined, name: string, ...args: ReadonlyArray<unknown>): unknown =>
  Predicate.hasProperty(from, name) && Predicate.isFunction(from[name])
    ? Reflect.apply(from[name], from, args)
    : undefined

type Parser = (value: unknown, options: SchemaAST.ParseOptions) => Effect.Effect<unknown, SchemaIssue.Issue>
const isParser = (value: unknown): value is Parser => Predicate.isFunction(value)
const mismatch = Effect.fail(new SchemaIssue.InvalidValue({ expected: "one of the alternatives" }))

/** Whether values have parts, on either side of the wire. */
const isComposite = ({ _tag, encoding }: AST): boolean =>
  /^(Ar|D|Ob|Su|Un)/.test(_tag) || encoding?.some(({ to }) => isComposite(to)) === true

/**
 * Alternatives of which each object is read once. It is the same node with another parser, since a declaration in its place
 * would take twice the stack for each level.
 */
const readOnce = (union: AST): AST =>
  copy(union, {
    getParser: (...args: ReadonlyArray<unknown>) => {
      const parse = call(union, "getParser", ...args)
      return isParser(parse) ? onceOr(mismatch, parse) : parse
    },
    flip: (recur: unknown) => readOnce(orElse(call(union, "flip", recur), union)),
    recur: (recur: unknown) => readOnce(orElse(call(union, "recur", recur), union))
  })

const formOf = (isExact: boolean) => {
  const known = new WeakMap<AST, AST>()
  const form = (ast: AST): AST => {
    const found = known.get(ast) ?? make(ast)
    known.set(ast, found)
    return found
  }
  const make = (ast: AST): AST => {
    const { annotations, context, encoding } = ast
    let links = encoding
    if (ast._tag === "Declaration" && links === undefined) {
      const parameters = ast.typeParameters.map((parameter) => Schema.make(SchemaAST.toEncoded(parameter)))
      const link = call(annotations, "toCodecJson", parameters) ?? call(annotations, "toCodec", parameters)
      if (link instanceof SchemaAST.Link && annotations?.["isWire"] !== true) links = [link]
    }
    if (links !== undefined) {
      return copy(ast, {
        encoding: links.map(
          ({ to, transformation }, i) =>
            new SchemaAST.Link(i < links.length - 1 ? to : copy(form(to), { context }), transformation)
        )
      })
    }
    const own =
      ast._tag === "Number" || ast._tag === "Literal"
        ? call(ast, "toCodecJson")
        : ast._tag === "BigInt" && !isExact
          ? call(ast, "toCodecStringTree")
          : call(ast, "recur", form, identity)
    const whole = orElse(own, ast)
    return whole._tag === "Union" && whole.types.filter(isComposite).length > 1 ? readOnce(whole) : whole
  }
  return form
}

const plain = formOf(false)
const exact = formOf(true)

/**
 * The JSON form of a schema, as documents have it: a `Date` is a text, a `Set` a list. What is JSON already stays as it is,
 * but a union reads each object once. It is made when it is first used.
 */
export const jsonForm = <A>(schema: Schema.Codec<A, unknown>, isExact = false): Schema.Codec<A, unknown> =>
  Schema.make(new SchemaAST.Suspend(() => (isExact ? exact : plain)(schema.ast)))
