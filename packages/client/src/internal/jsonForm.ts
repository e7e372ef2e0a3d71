import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { isPlain } from "./content.ts"
import { onceOr, ownOf } from "./once.ts"
import { property } from "./property.ts"

type AST = SchemaAST.AST
type Parser = (value: unknown, options: SchemaAST.ParseOptions) => Effect.Effect<unknown, SchemaIssue.Issue>
type Recur = (ast: AST) => AST

/** The members of nodes that their types leave out. */
interface Hidden {
  readonly getParser: (...args: ReadonlyArray<unknown>) => Parser
  readonly flip?: (recur: Recur) => AST
  readonly recur?: (recur: Recur, parameter: (parameter: AST) => AST) => AST
  readonly toCodecJson?: () => AST
  readonly toCodecStringTree?: () => AST
}
// oxlint-disable-next-line typescript/consistent-type-assertions -- `SchemaAST` marks these as internal
const hidden = (ast: unknown) => ast as AST & Hidden

const copy = (
  ast: AST,
  changes: Partial<Hidden> | Pick<AST, "context"> | { readonly encoding: ReadonlyArray<SchemaAST.Link> }
): AST => hidden(Object.assign(Object.create(Reflect.getPrototypeOf(ast)), ast, changes))

const mismatch = Effect.fail(new SchemaIssue.InvalidValue({ expected: "one of the alternatives" }))

/** Whether values have parts, on either side of the wire. */
const isComposite = ({ _tag, encoding }: AST): boolean =>
  /^(Ar|D|Ob|Su|Un)/.test(_tag) || encoding?.some(({ to }) => isComposite(to)) === true

/**
 * A node with another parser, in both directions. It is the same node, since a declaration in its place would take twice the
 * stack for each level.
 */
const withParser = (ast: AST, wrap: (parse: Parser) => Parser): AST => {
  const { flip, getParser, recur } = hidden(ast)
  const again: Recur = (recur) => withParser(recur, wrap)
  return copy(ast, {
    getParser: (...args) => wrap(getParser.call(ast, ...args)),
    recur: (...args) => again(recur?.apply(ast, args) ?? ast),
    flip: (by) => again((flip ?? recur)?.call(ast, by, by) ?? ast)
  })
}

const readOnce = (parse: Parser): Parser => onceOr(mismatch, parse)

/** A whole of which all parts are read in one call. */
const inOneCall =
  (parse: Parser): Parser =>
  (value, options) =>
    parse(value, ownOf(options))

/** The text of a `bigint`: to make one takes more than twice as long for twice the digits. */
const ofDigits =
  (parse: Parser): Parser =>
  (value, options) =>
    Predicate.isString(value) && value.length > 9999
      ? Effect.fail(new SchemaIssue.InvalidValue({ expected: "at most 9999 digits" }))
      : parse(value, options)

const notJson = new SchemaIssue.InvalidValue({ expected: "JSON" })

/** Where `JSON` would leave a value out, or write `null` or `{}`, at any depth of what no schema describes. */
const flawOf = (value: unknown, isExact: boolean): SchemaIssue.Issue | undefined => {
  if (value === null || /^(str|boo)/.test(typeof value) || Number.isFinite(value)) return undefined
  const toJSON = property(value, "toJSON")
  if (Predicate.isFunction(toJSON)) return flawOf(Reflect.apply(toJSON, value, []) ?? NaN, isExact)
  const isList = Array.isArray(value)
  if (!isList && !isPlain(value)) return isExact && Predicate.isBigInt(value) ? undefined : notJson
  for (const [name, part] of isList ? value.entries() : Object.entries(value)) {
    const issue = part === undefined && !isList ? undefined : flawOf(part, isExact)
    if (issue !== undefined) return new SchemaIssue.Pointer([name], issue)
  }
  return undefined
}

/** The annotation of a type. Its link has another class where a program has two copies of Effect. */
const isCodec = (value: unknown): value is (parameters: ReadonlyArray<Schema.Top>) => SchemaAST.Link | undefined =>
  Predicate.isFunction(value)

/** A type that does not say what it is as JSON. */
const undescribed = new SchemaAST.Link(SchemaAST.unknown, SchemaTransformation.passthrough())

const formOf = (isExact: boolean) => {
  /** Any value that no schema describes, in the direction of the wire. */
  const json = Schema.Unknown.check(
    Schema.makeFilter((value) =>
      // one that contains itself, or is too deep, throws
      Result.getOrElse(
        Result.try(() => flawOf(value, isExact)),
        () => notJson
      )
    )
  ).ast
  const known = new WeakMap<AST, AST>()
  const form = (ast: AST): AST => {
    const found = known.get(ast) ?? make(ast)
    known.set(ast, found)
    return found
  }
  const make = (ast: AST): AST => {
    const { _tag, annotations = {}, context, encoding } = ast
    let links: ReadonlyArray<SchemaAST.Link> | undefined = encoding
    if (links === undefined && annotations["isWire"] !== true) {
      if (/^(Unk|Any|ObjectK)/.test(_tag)) return copy(ast, { flip: () => copy(json, { context }) })
      if (_tag === "Declaration") {
        const codec = annotations["toCodecJson"] ?? annotations["toCodec"]
        const link = isCodec(codec)
          ? Reflect.apply(codec, annotations, [
              ast.typeParameters.map((parameter) => Schema.make(SchemaAST.toEncoded(parameter)))
            ])
          : undescribed
        links = link && [link]
      }
      if (_tag === "BigInt" && !isExact) links = hidden(ast).toCodecStringTree?.().encoding
    }
    if (links !== undefined) {
      const end = links.length - 1
      return copy(ast, {
        encoding: links.map(
          ({ to, transformation }, i) =>
            new SchemaAST.Link(
              i < end ? to : copy(_tag === "BigInt" ? withParser(form(to), ofDigits) : form(to), { context }),
              transformation
            )
        )
      })
    }
    const { recur, toCodecJson } = hidden(ast)
    const whole = (_tag === "Number" || _tag === "Literal" ? toCodecJson : recur)?.call(ast, form, identity) ?? ast
    return whole._tag === "Union" && whole.types.filter(isComposite).length > 1 ? withParser(whole, readOnce) : whole
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
  Schema.make(withParser(new SchemaAST.Suspend(() => (isExact ? exact : plain)(schema.ast)), inOneCall))
