import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CloudError } from "@cloud-management/core/CloudError"
import * as Credentials from "@cloud-management/core/Credentials"
import { calls, connect, ids, printable, seeded, type Answer } from "./Stub.ts"

const keyId = "key-id"
const base64 = (text: string) => Buffer.from(text).toString("base64")
const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

/** The forms in which a secret can come back. */
const forms = {
  "as it is": (secret: string) => secret,
  "in base64": base64,
  "in base64 without padding": (secret: string) => base64(secret).replace(/=+$/, ""),
  "as the Authorization header": (secret: string) => `Basic ${base64(`${keyId}:${secret}`)}`,
  "as credentials": (secret: string) => `${keyId}:${secret}`,
  "percent-encoded": encodeURIComponent,
  "inside a JSON string": escaped
}

/** What none of an error's texts may contain. */
const needles = (secret: string) => [
  secret,
  escaped(secret),
  encodeURIComponent(secret),
  base64(secret).replace(/=+$/, ""),
  base64(`${keyId}:${secret}`).replace(/=+$/, "")
]

/** Every text in a value: also in fields that do not enumerate, and in what the fields refer to. */
const texts = (value: unknown, seen = new Set<unknown>()): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || seen.has(value)) return []
  seen.add(value)
  return Reflect.ownKeys(value).flatMap((key) => [String(key), ...texts(Reflect.get(value, key), seen)])
}

const isSilent = (
  secret: string,
  exit: Exit.Exit<unknown, CloudError<{ readonly _tag: string; readonly message: string }>>
) => {
  const error = Option.getOrThrow(Exit.findErrorOption(exit))
  const cause = Cause.fail(error)
  const errors: ReadonlyArray<unknown> = [error, error.reason]
  const shown = errors.flatMap((error) => [
    ...texts(error),
    String(error),
    JSON.stringify(error),
    inspect(error, { depth: 10, showHidden: true, maxStringLength: null }),
    Cause.pretty(Cause.fail(error))
  ])
  const all = [...shown, Cause.pretty(cause), JSON.stringify(cause), String(exit), JSON.stringify(exit), inspect(exit)]
  for (const text of all) {
    for (const needle of needles(secret)) assert.notInclude(text, needle)
  }
}

/** What a response, or an error of the transport, can do with a text. */
const echoes: Readonly<Record<string, (text: string) => Answer>> = {
  "an error envelope": (text) => () =>
    Response.json({ status: 401, error: `UNAUTHORIZED: ${text}`, requestId: text }, { status: 401 }),
  "an error of another shape": (text) => () => Response.json({ message: text, [text]: 1 }, { status: 401 }),
  "an error in plain text": (text) => () => new Response(`you sent ${text}, didn't you`, { status: 500 }),
  "an error in plain text, at its end": (text) => () => new Response(text.padStart(210, "."), { status: 500 }),
  "an error in plain text, over and over": (text) => () => new Response(text.repeat(50), { status: 400 }),
  "the headers of an error": (text) => () => {
    const ascii = text.replace(/[^\u0020-\u007e]/g, "")
    const headers = { "x-request-id": ascii, "retry-after": ascii, "x-echo": ascii, location: ascii }
    return new Response(null, { status: 307, headers })
  },
  "a success that is not JSON": (text) => () => new Response(`<p>${text}</p>`),
  "a success of another shape": (text) => () =>
    Response.json({ status: text, requestId: 1, result: [{ id: text, [text]: text }, text] }),
  "a success with a wrong ID": (text) => () => Response.json({ status: 200, result: [{ id: text }] }),
  "an error of the transport": (text) => () => Promise.reject(new Error(`cannot send ${text}`)),
  "a cause of an error of the transport": (text) => () =>
    Promise.reject(
      new TypeError("fetch failed", { cause: Object.assign(new Error(text), { code: text, headers: { text } }) })
    ),
  "a body that breaks off": (text) => () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
        pull: (controller) => controller.error(new Error(`lost ${text}`))
      }),
      { headers: { "x-request-id": text.replace(/[^\u0020-\u007e]/g, "") } }
    )
}

describe("a secret that comes back is in nothing that an error shows", () => {
  for (const [where, echo] of Object.entries(echoes)) {
    it.effect.prop(
      `when it comes in ${where}, in whatever form`,
      { secret: printable(8), form: Schema.Literals(Object.keys(forms) as Array<keyof typeof forms>) },
      ({ form, secret }) =>
        Effect.gen(function* () {
          const { cloud } = yield* connect(echo(forms[form](secret)), { credentials: Credentials.make(keyId, secret) })
          isSilent(secret, yield* Effect.exit(calls["organizations.list"](cloud)))
        }).pipe(Effect.scoped),
      seeded(40)
    )
  }

  it.effect("not even in part, where a text is cut", () =>
    Effect.gen(function* () {
      const secret = "cmk_0123456789abcdefghijklmnopqrstuvwxyz"
      for (let before = 150; before < 260; before++) {
        const { cloud } = yield* connect(() => new Response(".".repeat(before) + secret, { status: 500 }), {
          credentials: Credentials.make(keyId, secret)
        })
        const { message } = yield* Effect.flip(cloud.organizations.list())
        assert.notInclude(message, "cmk_")
      }
    })
  )

  it.effect("nor in the defect of a wrong parameter", () =>
    Effect.gen(function* () {
      const secret = "a secret where an ID should be"
      const { cloud } = yield* connect(() => Response.error(), { credentials: Credentials.make(keyId, secret) })
      const exit = yield* Effect.exit(cloud.apiKeys.delete({ ...ids, keyId: secret as typeof ids.keyId }))
      assert.isTrue(Exit.isFailure(exit))
      assert.notInclude(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", secret)
    })
  )
})
