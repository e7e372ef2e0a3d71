import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Ask from "../ask.ts"
import * as Confirm from "../confirm.ts"
import * as Connection from "../Connection.ts"
import * as Failure from "../Failure.ts"
import * as Input from "../input.ts"

/** The methods, and whether their requests have content (RFC 9110 §9.3). */
export const methods = { GET: false, HEAD: false, POST: true, PUT: true, PATCH: true, DELETE: false } as const
type Method = keyof typeof methods

const isMethod = (text: string): text is Method => Object.hasOwn(methods, text)

const method = Argument.String("METHOD").pipe(
  Argument.filterMap(
    (text) => Option.liftPredicate(isMethod)(text.toUpperCase()),
    () => Object.keys(methods).join(", ")
  ),
  Argument.withDescription(`${Object.keys(methods).join(", ")}, in any letter case`)
)

/** A segment that a URL parser would take away, escaped or not. */
const dots = /(^|\/)(\.|%2e){1,2}(\/|$)/i
const isPath = (text: string): text is `/${string}` =>
  /^\/[!-~]*$/.test(text) && !/[?#\\]/.test(text) && !dots.test(text)

/** A path may lack its first slash. Without one, its first segment has no colon (RFC 3986 §4.2), as that of a URL has. */
const absolute = (text: string) => (/^[^/:]+(\/|$)/.test(text) ? `/${text}` : text)

/** What Git Bash makes of a path: it takes the slash at the beginning for its own folder. */
const rewritten = /^[a-z]:[\\/]/i

const path = Argument.String("PATH").pipe(
  Argument.filterMap(
    (text) => Option.liftPredicate(isPath)(absolute(text)),
    (text) =>
      `${rewritten.test(text) ? "a path that no shell has rewritten, as Git Bash does: pass it without its first slash, such as v1/organizations; " : ""}a percent-encoded path below the base URL that has no dot segments; pass a query with --query NAME=VALUE`
  ),
  Argument.withDescription("Path below the base URL, such as /v1/organizations")
)

/** `name=value`. */
const parameter = (text: string): Option.Option<readonly [name: string, value: string]> => {
  const [, name = "", value = ""] = /^([^=]+)=([^]*)$/.exec(text) ?? []
  return name === "" ? Option.none() : Option.some([name, value])
}

/** `cloud-management request` */
export const request = Command.make(
  "request",
  {
    method,
    path,
    data: Flag.String("data").pipe(
      Flag.optional,
      Flag.withMetavar("json"),
      Flag.withDescription("JSON content of the request: text, @FILE, or @- for stdin")
    ),
    query: Flag.String("query").pipe(
      Flag.filterMap(parameter, () => "NAME=VALUE"),
      Flag.atLeast(0),
      Flag.withMetavar("name=value"),
      Flag.withDescription("Query parameter; can be repeated")
    ),
    yes: Confirm.yes
  },
  Effect.fnUntraced(function* ({ data, method, path, query, yes }) {
    if (Option.isSome(data) && !methods[method]) {
      return yield* Failure.usage(`--data: a ${method} request has no content`, "Use --query for parameters.")
    }
    if (Option.isSome(data) && data.value.startsWith("@") && Input.isStdin(data.value.slice(1))) {
      const file = yield* Connection.keySecretFile
      if (Option.isSome(file) && Input.isStdin(file.value.value)) {
        return yield* Failure.usage(
          `--data ${data.value} and ${file.value.source} ${file.value.value} both read stdin`,
          "Pass a file to one of them."
        )
      }
      if (!yes && (yield* Ask.can)) {
        return yield* Failure.usage(
          `--data ${data.value}: stdin is read for the content, so it cannot confirm`,
          "Pass --yes."
        )
      }
    }
    const { read, run } = yield* Effect.promise(() => import("./run.ts"))
    const payload = yield* Effect.transposeOption(Option.map(data, read))
    if (!yes && method !== "GET" && method !== "HEAD") yield* Confirm.change(`${method} ${path}`)
    yield* run({ method, path, query, payload: Option.getOrUndefined(payload) })
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Send your own request through the same client, with retries, deadlines, pacing and redaction"
  ),
  Command.withShortDescription("Send your own request through the same client"),
  Command.withExamples([
    { command: "cloud-management request GET /v1/organizations" },
    {
      command: "cloud-management request GET /v1/organizations --query limit=10",
      description: "With a query parameter"
    },
    {
      command: "cloud-management request DELETE /v1/organizations/ORGANIZATION_ID/keys/KEY_ID --yes",
      description: "In a script, without confirmation"
    }
  ]),
  Command.withGlobalFlags(Connection.settings)
)
