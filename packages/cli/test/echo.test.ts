import { expect, layer, Listener } from "../../../checks/fixtures/index.ts"
import { Context, Effect, Layer } from "effect"
import { Fixtures } from "@cloud-management/testing"
import { echoes } from "../../client/test/hostile.ts"
import { leaks } from "../../client/test/leak.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

type Reply = Listener.Reply

class Hostile extends Context.Service<Hostile, { readonly url: string; reply: Reply }>()("Hostile") {
  static readonly layer = Layer.effect(
    Hostile,
    Effect.gen(function* () {
      const state = { reply: { status: 204 } satisfies Reply as Reply, url: "" }
      const { url } = yield* Listener.replying(() => state.reply)
      return Object.assign(state, { url })
    })
  )
}

const { acme, analytics, backupKey, readyEndpoint } = Fixtures
const list = ["organizations", "list"]
const get = ["endpoints", "get", acme, analytics, readyEndpoint]
const remove = ["keys", "delete", acme, backupKey.id, "--yes"]

/** Every place of the command's output that a text of the service can reach. */
const places: Readonly<Record<string, readonly [args: ReadonlyArray<string>, reply: (text: string) => Reply]>> = {
  "a name": [list, (text) => Server.reply({ result: [{ id: acme, name: text }] })],
  "a description and a DNS name": [
    get,
    (text) => Server.reply({ result: { id: readyEndpoint, description: text, dnsNames: [text] } })
  ],
  "the request ID of a success": [remove, (text) => Server.reply({ requestId: text })],
  "a status that is waited for": [
    [...get, "--wait", "--every", "1ms", "--timeout", "20ms"],
    (text) => Server.reply({ result: { id: readyEndpoint, status: text } })
  ],
  "an error envelope": [list, (text) => Server.reply({ error: `UNAUTHORIZED: ${text}`, requestId: text }, 401)],
  "an error in plain text": [remove, (text) => ({ status: 502, body: text })],
  "a response to a request of one's own": [["request", "GET", "/v1/x"], (text) => ({ status: 200, body: text })],
  "a success of another shape": [list, (text) => Server.reply({ status: text, result: [{ id: text }] })]
}
const formats = ["table", "json"] as const

layer(Hostile.layer, { excludeTestServices: true })("what a service sends", (it) => {
  const play = Effect.fnUntraced(function* (place: string, text: string, secret: string, format: string) {
    const hostile = yield* Hostile
    const [args, reply] = places[place] ?? expect.unreachable(place)
    hostile.reply = reply(text)
    return yield* Invocation.run([...args, "--format", format], Server.client(hostile.url, { id: "key-id", secret }))
  })

  for (const place of Object.keys(places)) {
    for (const format of formats) {
      it.effect(`cannot move the cursor or turn a line around in ${place}, as ${format}`, function* () {
        const text = "a\u001b[2Jb\u009bc\u202ed\u2066e\u061cf\u2028g\u0007h\r\ni"
        const { stderr, stdout } = yield* play(place, text, "a secret of this key", format)
        expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
        expect(stdout + stderr).toMatch(/a.*b.*c.*d|(repeat|contains) the credentials|did not become/)
      })
    }
  }

  it.effect.prop(
    "is not shown when it repeats the secret, in any two encodings, in any letter case, cut anywhere",
    [echoes],
    function* ([{ secret, text }]) {
      const shown = new Set<string>()
      for (const place of Object.keys(places)) {
        for (const format of formats) {
          const { stderr, stdout } = yield* play(place, text, secret, format)
          shown.add(stdout + stderr)
        }
      }
      expect([...shown].flatMap(leaks(secret))).toEqual([])
    },
    { arbitrary: { seed: "cloud-management", runs: 12 } }
  )
})
