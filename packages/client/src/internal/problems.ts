import type * as Schema from "effect/Schema"
import type { Status } from "../CallError.ts"
import type { OwnedName } from "./parameters.ts"

// Sentences of the compiler about an operation whose parts do not fit each other.

/** The parts that every operation has; the rest is optional. */
interface Declaration {
  readonly path: string
  readonly method: string
  readonly success: { readonly schema: { readonly Type: unknown } }
  readonly errors: unknown
}

type Characters<Text extends string> = Text extends `${infer First}${infer Rest}` ? First | Characters<Rest> : never

type WordCharacter = Characters<"abcdefghijklmnopqrstuvwxyz0123456789_">

/** The word that a text begins with. */
type Word<Text extends string, Before extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? Lowercase<First> extends WordCharacter
    ? Word<Rest, `${Before}${First}`>
    : Before
  : Before

/** The names of a path's variables: `"/a/:x/b/:y.:z::stop"` has `"x" | "y" | "z"`. */
type Variables<Path extends string, Before = never> = Path extends `${string}:${infer Rest}`
  ? Rest extends `:${infer Literal}`
    ? Variables<Literal, Before>
    : Variables<Rest, Before | Word<Rest>>
  : Before

type Declared<O extends Declaration> = O extends { readonly params: { readonly Encoded: infer Encoded } }
  ? keyof Encoded & string
  : never

type Queried<O extends Declaration> = O extends {
  readonly query: { readonly schema: { readonly Encoded: infer Encoded } }
}
  ? keyof Encoded & string
  : never

/** The names of headers that HTTP owns, and the client sets. */
type Owned<O extends Declaration> = O extends {
  readonly headers: { readonly schema: { readonly Encoded: infer Encoded } }
}
  ? {
      [Name in keyof Encoded & string]: Lowercase<Name> extends OwnedName ? Name : never
    }[keyof Encoded & string]
  : never

/** The names in `params` that the input uses for its other parts. */
type Reserved<O extends Declaration> = Declared<O> & ("query" | "headers" | "payload")

/** A status that two refusals of a list have, although no body tells them apart. */
type Repeated<Errors, Seen = never> = Errors extends readonly [
  infer First extends { readonly status: Status },
  ...infer Rest
]
  ? number extends First["status"]
    ? Repeated<Rest, Seen>
    : First extends { readonly rule: { readonly body: Schema.Constraint } | undefined }
      ? Repeated<Rest, Seen>
      : First["status"] extends Seen
        ? First["status"]
        : Repeated<Rest, Seen | First["status"]>
  : never

/** The kind of a success, or the kinds of several. */
type Kind<Success> = Success extends { readonly bodies: ReadonlyArray<infer One> }
  ? Kind<One>
  : Success extends { readonly _tag: infer Tag }
    ? Tag
    : never

/** The problems of an operation: a sentence each, or `never`. */
export interface Problems<O extends Declaration> {
  readonly params:
    | ([Exclude<Variables<O["path"]>, Declared<O>>] extends [never]
        ? never
        : `the path has :${Exclude<Variables<O["path"]>, Declared<O>>}, which params lacks`)
    | ([Exclude<Declared<O>, Variables<O["path"]>>] extends [never]
        ? never
        : `params has ${Exclude<Declared<O>, Variables<O["path"]>>}, which the path lacks`)
    | ([Reserved<O>] extends [never] ? never : `${Reserved<O>} is the name of another part of the input`)
  readonly headers: [Owned<O>] extends [never] ? never : `${Owned<O>} is a header of HTTP, which the client sets`
  readonly payload: O extends { readonly payload: object; readonly method: "GET" | "HEAD" }
    ? `a ${O["method"]} request has no content (RFC 9110 §9.3)`
    : never
  readonly success: O extends { readonly method: "HEAD" }
    ? Kind<O["success"]> extends "Empty" | "Redirect"
      ? never
      : "a response to HEAD has no content (RFC 9110 §9.3.2): use Body.empty"
    : never
  readonly errors: [Repeated<O["errors"]>] extends [never]
    ? never
    : `two errors have the status ${Repeated<O["errors"]>}`
  readonly pagination:
    | (O extends { readonly pagination: { readonly query: infer Name extends string } }
        ? Name extends Queried<O>
          ? never
          : `pagination sets ${Name}, which query lacks`
        : never)
    | (O extends { readonly pagination: { readonly items: infer Path extends string } }
        ? IsArray<NonNullable<At<O["success"]["schema"]["Type"], Path>>> extends true
          ? never
          : `success has no array at ${Path}, where pagination reads the items`
        : never)
    | (O extends { readonly pagination: { readonly next: infer Path extends string } }
        ? O extends { readonly pagination: { readonly _tag: "Link" } }
          ? Unread<At<O["success"]["schema"]["Type"], Path>, string, Path, "the link to the next page">
          : Unread<At<O["success"]["schema"]["Type"], Path>, string | number | bigint, Path, "the next cursor">
        : never)
    | (O extends { readonly pagination: { readonly more: infer Path extends string } }
        ? Unread<
            At<O["success"]["schema"]["Type"], Path>,
            O extends { readonly pagination: { readonly _tag: "Cursor" } } ? boolean : boolean | number | bigint,
            Path,
            "whether more follow"
          >
        : never)
}

/** Why pagination cannot read what it looks for at a path: a sentence, or `never`. */
type Unread<Found, Readable, Path extends string, Sought extends string> = [Found] extends [never]
  ? `success has nothing at ${Path}, where pagination reads ${Sought}`
  : [Found] extends [Readable | null | undefined]
    ? never
    : `success has nothing that pagination understands at ${Path}, where it reads ${Sought}`

type IsArray<Type> = [Type] extends [never] ? false : [Type] extends [ReadonlyArray<unknown>] ? true : false

/**
 * The type at a path: `At<{ a: { b: string } }, "a.b">` is `string`; an empty path is that of the whole. A name at the end can
 * have dots.
 */
export type At<Type, Path extends string> = Path extends ""
  ? Type
  : Path extends keyof NonNullable<Type>
    ? NonNullable<Type>[Path]
    : Path extends `${infer Head}.${infer Rest}`
      ? At<FieldOf<NonNullable<Type>, Head>, Rest>
      : FieldOf<NonNullable<Type>, Path>

type FieldOf<Type, Name> = Name extends keyof Type
  ? Type[Name]
  : Name extends "-1"
    ? Type extends ReadonlyArray<infer Item>
      ? Item
      : never
    : never
