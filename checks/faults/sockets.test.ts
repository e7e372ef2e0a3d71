import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { allOperations, calls, ending, operations } from "../fixtures/Scripted.ts"
import { grounds } from "./grounds.ts"
import * as Sockets from "./sockets.ts"
import { table } from "./table.ts"
import { policies } from "./verdict.ts"
import * as Wire from "./wire.ts"

for (const ground of ["undici over sockets", "fetch over sockets"] as const) {
  it.live.each(table)(`${ground}: $fault`, (row) =>
    Effect.gen(function* () {
      const verdicts = yield* grounds[ground](row)
      expect(verdicts.filter(({ wrong }) => wrong.length > 0)).toEqual([])
      expect(verdicts).toHaveLength(allOperations.length * policies.length)
    })
  )
}

const always = () => true

describe("by the real clock, a deadline closes the connection", () => {
  const stages: ReadonlyArray<readonly [name: string, wire: Wire.Fault, ending: string]> = [
    ["that is silent", { connection: () => {} }, "Timeout unknown"],
    ["that is silent after the request", { request: Wire.silentAfter }, "Timeout unknown"],
    ["that is silent in the headers", { request: Wire.silentInHead }, "Timeout unknown"],
    ["that is silent in the body", { request: Wire.silentInBody }, "Timeout 200 unknown"],
    ["that drips", { request: Wire.drip }, "Timeout 200 unknown"]
  ]
  for (const transport of ["undici", "fetch"] as const) {
    it.live.each(stages)(`of ${transport} %s`, ([, wire, expected]) =>
      Effect.gen(function* () {
        const call = Effect.fnUntraced(function* (deadline: number) {
          const options = { retry: { attempts: 1 }, deadline: { attempt: deadline } } as const
          const { attempts, close, cloud } = yield* Sockets.connect(transport, { wire, isFaulty: always, options })
          const started = yield* Clock.monotonicTimeNanos
          const exit = yield* Effect.exit(cloud.organizations.list())
          const elapsed = Number((yield* Clock.monotonicTimeNanos) - started) / 1e6
          expect(attempts()).toBe(1)
          expect(elapsed).toBeGreaterThan(deadline - 1)
          expect(yield* close(false)).toEqual([])
          return ending(exit)
        })
        // on a busy machine not even the head may be there in time
        let actual = yield* call(150)
        for (const deadline of [1500, 15_000]) if (actual !== expected) actual = yield* call(deadline)
        expect(actual).toBe(expected)
      })
    )
  }
})

describe("an interruption closes the connection", () => {
  const stages: ReadonlyArray<readonly [name: string, make: (reached: () => void) => Wire.Fault]> = [
    ["before the answer", (reached) => ({ request: async () => reached() })],
    ["in the headers", (reached) => ({ request: (exchange) => Wire.silentInHead({ ...exchange, silent: reached }) })],
    ["in the body", (reached) => ({ request: (exchange) => Wire.silentInBody({ ...exchange, silent: reached }) })]
  ]
  for (const transport of ["undici", "fetch"] as const) {
    it.live.each(stages)(`of ${transport} %s`, ([, make]) =>
      Effect.gen(function* () {
        const { promise, resolve } = Promise.withResolvers<void>()
        const { close, cloud } = yield* Sockets.connect(transport, {
          wire: make(resolve),
          isFaulty: always,
          options: {}
        })
        const call = yield* Effect.forkChild(cloud.organizations.list())
        yield* Effect.promise(() => promise)
        yield* Fiber.interrupt(call)
        expect(yield* close(false)).toEqual([])
      })
    )
  }
})

describe("undici, while a connection is being made,", () => {
  /** A client over TLS of a server that never answers a handshake, and how many connections it has made. */
  const open = Effect.fnUntraced(function* () {
    const waiting: Array<() => void> = []
    let count = 0
    const connection = () => {
      count++
      waiting.forEach((look) => look())
    }
    const made = (wanted: number) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (count >= wanted) resume(Effect.void)
        }
        waiting.push(look)
        look()
      })
    const wire = { to: ({ tls }: { readonly tls: string }) => tls, connection }
    return { made, ...(yield* Sockets.connect("undici", { wire, isFaulty: always, options: {} })) }
  })

  it.live("holds no other request back: each has its own", () =>
    Effect.gen(function* () {
      const { close, cloud, made } = yield* open()
      const all = operations.map((operation) => calls[operation](cloud))
      const call = yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }))
      yield* made(3)
      yield* Fiber.interrupt(call)
      expect(yield* close(false)).toEqual([])
    })
  )

  it.live("closes it when the request is interrupted", () =>
    Effect.gen(function* () {
      const { close, cloud, made } = yield* open()
      const call = yield* Effect.forkChild(cloud.organizations.list())
      yield* made(1)
      yield* Fiber.interrupt(call)
      expect(yield* close(false)).toEqual([])
    })
  )

  it.live("closes it with the layer", () =>
    Effect.gen(function* () {
      const { close, cloud, made } = yield* open()
      yield* Effect.forkChild(cloud.organizations.list())
      yield* made(1)
      // the call itself goes on: what it leaves is not asked for
      expect(yield* close(true)).toEqual([])
    })
  )
})
