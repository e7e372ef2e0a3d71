import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Commands from "../commands.ts"
import * as Confirm from "../terminal/confirm.ts"
import * as Connection from "../connection/Connection.ts"
import * as Failure from "../output/Failure.ts"
import * as Flags from "../input/flag.ts"
import * as Content from "./content.ts"

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
const isPath = (text: string): text is `/${string}` => {
  const [path = ""] = text.split("?", 1)
  return /^\/[!-~]*$/.test(text) && !/[#\\]/.test(text) && !dots.test(path)
}

/** A path may lack its first slash. Without one, its first segment has no colon (RFC 3986 §4.2), as that of a URL has. */
const absolute = (text: string) => (/^[^/:]+(\/|$)/.test(text) ? `/${text}` : text)

/** Git Bash replaces the slash at the beginning of a path by its own folder. */
const rewritten = /^[a-z]:[\\/]/i

const path = Argument.String("PATH").pipe(
  Argument.filterMap(
    (text) => Option.liftPredicate(isPath)(absolute(text)),
    (text) =>
      `${rewritten.test(text) ? "a path that no shell has rewritten, as Git Bash does: pass it without its first slash, such as v1/organizations; " : ""}a percent-encoded path below the base URL that has no dot segments`
  ),
  Argument.withDescription("Path below the base URL, perhaps with a query, such as /v1/organizations?limit=10")
)

const flags = {
  method,
  path,
  data: Content.data,
  input: Content.input,
  ...Content.fields,
  query: Content.query,
  headers: Content.headers,
  include: Flag.withAlias(Flags.on("include", "Show the status and the headers of the response as well"), "i"),
  paginate: Flags.on("paginate", "Follow the links to the next page, and show the pages together"),
  yes: Confirm.yes
}

export const command = Commands.make(
  "request",
  flags,
  function* ({ data: text, headers, include, input, method, path: target, yes, ...given }) {
    const fields = yield* Content.object(given, yes || method === "GET" || method === "HEAD")
    const { content, flag } = yield* Content.one(text, input, methods[method] ? fields : {})
    const parameters = methods[method]
      ? []
      : Object.entries(fields).map(([name, value]) => [name, [String(value)]] as const)
    const [path, query] = Content.parts(target, { ...given.query, ...Object.fromEntries(parameters) })
    if (Option.isSome(content) && !methods[method]) {
      return yield* Failure.usage(`${flag}: a ${method} request has no content`, "Use --query for parameters.")
    }
    if (given.paginate && method !== "GET") return yield* Failure.usage("--paginate: only GET can be sent again")
    const { run } = yield* Effect.promise(() => import("./run.ts"))
    const payload = yield* Content.given(content, yes, flag)
    if (!yes && method !== "GET" && method !== "HEAD") yield* Confirm.change(`${method} ${target}`)
    yield* run({ method, path, query, payload, headers, include, paginate: given.paginate })
  }
).pipe(
  Commands.described(
    "Send your own request through the same client, with retries, deadlines, pacing and redaction",
    "GET /v1/organizations",
    [
      "GET /v1/organizations?limit=10 --header x-tenant:acme --include",
      "With a query and a header; the status and the headers of the response are shown as well"
    ],
    ["DELETE /v1/organizations/ORGANIZATION_ID/keys/KEY_ID --yes", "In a script, without confirmation"]
  ),
  Command.withGlobalFlags(Connection.settings)
)
