import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Body from "@cloud-management/client/Body"

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  email: "someone@example.com",
  uri: "https://example.com/1",
  url: "https://example.com/1",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  byte: "aGVsbG8="
}

const limitsOf = ({ _tag, checks }: SchemaAST.AST) =>
  new Map<string, unknown>(
    (checks ?? []).flatMap(({ annotations }) => {
      const fragment = annotations?.["toJsonSchema"]
      const type = _tag === "Arrays" ? "array" : _tag.toLowerCase()
      const made: unknown = Predicate.isFunction(fragment) ? Reflect.apply(fragment, undefined, [{ type }]) : undefined
      // one that is not the whole rule is the first of two
      const limits: unknown = Array.isArray(made) ? made[0] : made
      return Predicate.isObject(limits) ? Object.entries(limits) : []
    })
  )

/** Deeper values have only what they need. */
const maxDepth = 4

const schemaOf = (ast: SchemaAST.AST) => Schema.make<Schema.Codec<unknown>>(ast)

/** The value of a schema that says that there is nothing, if it has one. */
const nothing = (ast: SchemaAST.AST): unknown => [false, 0, [], null, ""].find(Schema.is(schemaOf(ast)))

/**
 * Makes a value of the encoded side of a schema: a text is the name of its field, and what is optional is there. `pick`
 * chooses among so many. At the path `end`, it has {@link nothing}.
 */
const write = (seed: string, pick: (count: number, at: string) => number, end: string | undefined) => {
  const fitting = (ast: SchemaAST.AST, at: string) =>
    Effect.runSync(
      Effect.orElseSucceed(
        Arbitrary.sampleEffect(Arbitrary.schema(schemaOf(ast)), { seed: `${seed} ${at}`, size: 5 }),
        () => []
      )
    )[0]

  const value = (ast: SchemaAST.AST, at: string, name: string, depth: number): unknown => {
    if (at === end) return nothing(ast)
    const limits = limitsOf(ast)
    const { examples, format = limits.get("format") } = SchemaAST.resolve(ast) ?? {}
    if (Array.isArray(examples) && examples.length > 0) return examples[pick(examples.length, at)]
    switch (ast._tag) {
      case "Suspend":
        return value(ast.thunk(), at, name, depth)
      case "Declaration": {
        const one = ast.typeParameters[pick(ast.typeParameters.length, at)]
        if (one !== undefined) return value(one, at, name, depth)
        return ast.annotations?.["isWire"] === true ? pick(1000, at) : name
      }
      case "Union": {
        const types = ast.types.filter(({ _tag }) => _tag !== "Null" && _tag !== "Undefined")
        const chosen = types[pick(types.length, at)]
        return chosen === undefined || (depth > maxDepth && types.length < ast.types.length)
          ? null
          : value(chosen, at, name, depth)
      }
      case "Objects":
        return Object.fromEntries(
          ast.propertySignatures
            .filter(
              ({ name, type }) =>
                !SchemaAST.isOptional(type) ||
                // a text is better left out: it can have to be long
                (`${at}.${String(name)}` === end ? (nothing(type) ?? "") !== "" : depth <= maxDepth)
            )
            .map(({ name, type }) => [name, value(type, `${at}.${String(name)}`, String(name), depth + 1)])
        )
      case "Arrays": {
        const [rest] = ast.rest
        const least = Number(limits.get("minItems") ?? 1)
        const all = ast.elements.map((element, i) => value(element, `${at}.${i}`, name, depth + 1))
        const count = rest === undefined || (depth > maxDepth && !limits.has("minItems")) ? 0 : least
        const more = Array.from(
          { length: Math.min(count, 100) },
          (_, i) => rest && value(rest, `${at}.${i}`, name, depth + 1)
        )
        return [...all, ...more]
      }
      case "String": {
        if (format === "uuid") return `00000000-0000-4000-8000-${String(pick(1e9, at)).padStart(12, "0")}`
        if (Predicate.isString(format) && formats[format] !== undefined) return formats[format]
        return limits.size === 0 ? `${name} ${pick(100, at)}` : fitting(ast, at)
      }
      case "Number":
        return [...limits.values()].some((limit) => Math.abs(Number(limit)) < Number.MAX_SAFE_INTEGER)
          ? fitting(ast, at)
          : pick(1000, at)
      case "Boolean":
        return pick(2, at) === 0
      case "Null":
        return null
      case "Literal":
        return ast.literal
      case "Unknown":
      case "Any":
        return name
      case "Void":
      case "Undefined":
        return undefined
      default:
        return fitting(ast, at)
    }
  }
  return value
}

/**
 * An example of a schema, the same for each seed, or why none was found. `end` is a path at which it has nothing, if the
 * schema lets it.
 */
export const make = (
  schema: Schema.Codec<unknown, unknown>,
  seed: string,
  end?: string
): Result.Result<unknown, Schema.SchemaError> => {
  const form = Body.json(schema).form ?? schema
  const { ast } = Schema.toEncoded(form)
  const decode = Schema.decodeUnknownResult(form)
  const attempt = (n: number): Result.Result<unknown, Schema.SchemaError> => {
    const pick = (count: number, at: string) => (count === 0 ? 0 : Math.abs(Hash.string(`${seed} ${n} ${at}`)) % count)
    const decoded = decode(write(`${seed} ${n}`, pick, end)(ast, "", "value", 0))
    if (Result.isSuccess(decoded)) return decoded
    return n < 20 ? attempt(n + 1) : end === undefined ? decoded : make(schema, seed)
  }
  return attempt(0)
}
