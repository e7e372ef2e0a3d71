import * as Equal from "effect/Equal"
import * as JsonPatch from "effect/JsonPatch"
import * as Schema from "effect/Schema"
import { isObject, keysOf, look } from "./Json.ts"
import { Misfit, unusable } from "./Unusable.ts"

const Path = Schema.String
const reason = Schema.optionalKey(Schema.String)
const Operation = Schema.Union([
  Schema.Struct({ op: Schema.Literal("test"), path: Path, value: Schema.Json, reason }),
  Schema.Struct({ op: Schema.Literal("add"), path: Path, value: Schema.Json, reason }),
  Schema.Struct({ op: Schema.Literal("replace"), path: Path, value: Schema.Json, reason }),
  Schema.Struct({ op: Schema.Literal("remove"), path: Path, reason }),
  Schema.Struct({ op: Schema.Literals(["move", "copy"]), from: Path, path: Path, reason })
])
type Operation = typeof Operation.Type

/** A JSON Patch (RFC 6902) whose operations say why; one reason holds for those after it. */
const Patch = Schema.Array(Operation)

/** A patch that was applied, and the digest of its content. */
export interface Applied {
  readonly file: string
  readonly digest: string
}

/** Reads a patch: each change has a reason, its own or one before it, and what it takes away is tested first. */
export const parse = (file: string, content: unknown): ReadonlyArray<Operation & { readonly reason: string }> => {
  const result = Schema.decodeUnknownResult(Patch)(content)
  if (result._tag === "Failure") throw unusable(`${file}: ${result.failure.message}`)
  let why: string | undefined
  const tested: Array<string> = []
  return result.success.map((operation, i) => {
    why = operation.reason ?? why
    if (why === undefined || why.trim() === "")
      throw unusable(`${file}: operation ${i} has no reason, and none before it has one`)
    if (operation.op === "test") tested.push(operation.path)
    const taken = operation.op === "move" ? operation.from : operation.path
    const needsTest = operation.op === "replace" || operation.op === "remove" || operation.op === "move"
    if (
      needsTest &&
      !tested.some((path) => taken === path || taken.startsWith(`${path}/`) || path.startsWith(`${taken}/`))
    ) {
      throw unusable(`${file}: operation ${i} needs a test of ${taken} before it, to fail if that changes`)
    }
    return { ...operation, reason: why }
  })
}

const at = (document: unknown, path: string): unknown => look(document, keysOf(path))

const isJson = Schema.is(Schema.Json)

/** The value at a place, as the end of a sentence. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "not there"
  return text.length > 200 ? `${text.slice(0, 200)} …` : text
}

/** Applies a patch, or fails with the reason of the operation that does not fit. */
export const apply = (
  file: string,
  patch: ReadonlyArray<Operation & { readonly reason: string }>,
  document: Schema.Json
): Schema.Json => {
  let current = document
  for (const [i, operation] of patch.entries()) {
    const failed = (problem: string) =>
      new Misfit({
        message: `${file}: operation ${i} does not fit: ${problem} (the patch is there because: ${operation.reason})`
      })
    if (operation.op === "test") {
      const found = at(current, operation.path)
      if (!Equal.equals(found, operation.value)) throw failed(`${operation.path} is ${shown(found)}`)
      continue
    }
    const parent = at(current, operation.path.replace(/\/[^/]*$/, ""))
    if (
      (operation.op === "add" || operation.op === "copy") &&
      isObject(parent) &&
      at(current, operation.path) !== undefined
    )
      throw failed(`${operation.path} is there already; test its value, and replace it`)
    const moved = "from" in operation ? at(current, operation.from) : null
    if (!isJson(moved)) throw failed("what it takes is not there")
    const steps: JsonPatch.JsonPatch =
      "from" in operation
        ? [
            ...(operation.op === "move" ? [{ op: "remove" as const, path: operation.from }] : []),
            { op: "add" as const, path: operation.path, value: moved }
          ]
        : [operation]
    try {
      current = JsonPatch.apply(steps, current)
    } catch (error) {
      throw failed(error instanceof Error ? error.message : String(error))
    }
  }
  return current
}
