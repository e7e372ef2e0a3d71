import { describe, expect, it } from "../../../checks/fixtures/vitest.ts"
import { Context, DateTime, Effect, Exit, Layer, Option, Scope } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { ApiKeyId } from "@cloud-management/core/ApiKey"
import { Store } from "@cloud-management/service/Store"
import { StoreUnavailable } from "@cloud-management/service/KeyStore"
import { backupKey, deployKey } from "@cloud-management/testing/Fixtures"
import { basic, logged, organizations, served } from "./Served.ts"

const [a, b] = [deployKey.id, backupKey.id]
const noon = Date.UTC(2026, 0, 1, 12)
const at = (hours: number, minutes: number) => TestClock.setTime(noon + hours * 3_600_000 + minutes * 60_000)

const timeOf = (moment: DateTime.Utc) => DateTime.formatIso(moment).slice(11, 16)

type Recording = ReturnType<Store["Service"]["recordUse"]>

/** A service in memory, with what its store was asked to record: the keys and the hour. */
const start = Effect.fnUntraced(function* (alter: (recording: Recording) => Recording = (recording) => recording) {
  yield* at(0, 10)
  const calls: Array<readonly [keys: ReadonlyArray<ApiKeyId>, hour: string]> = []
  const noted = served({}, (store) => ({
    recordUse: (ids, hour) =>
      Effect.suspend(() => {
        calls.push([ids, timeOf(hour)])
        return alter(store.recordUse(ids, hour))
      })
  }))
  const context = yield* Layer.build(noted)
  const send = (id: ApiKeyId, secret = id === a ? deployKey.secret : backupKey.secret) =>
    HttpClient.get(`http://service${organizations}`, { headers: { authorization: basic({ id, secret }) } }).pipe(
      Effect.map(({ status }) => status),
      Effect.provide(context)
    )
  const lastUse = (key: ApiKeyId) =>
    Effect.map(Context.get(context, Store).apiKey(key), (found) => {
      const { lastUsedAt } = Option.getOrThrow(found)
      return lastUsedAt && timeOf(lastUsedAt)
    })
  return { calls, lastUse, send }
})

const away = Effect.fail(new StoreUnavailable({ cause: new Error("no route to the server") }))

describe("the last use of a key", () => {
  it.effect("is recorded at once, once an hour, and together with that of other keys a second later", function* () {
    const { calls, lastUse, send } = yield* start()
    expect(yield* Effect.replicateEffect(send(a), 20)).toEqual(Array.from({ length: 20 }, () => 200))
    yield* at(0, 10)
    expect(calls).toEqual([[[a], "12:00"]])
    yield* send(b)
    expect(calls).toHaveLength(1)
    yield* at(0, 10.1)
    expect(calls.slice(1)).toEqual([[[b], "12:00"]])
    yield* Effect.replicateEffect(Effect.andThen(send(a), send(b)), 20)
    yield* at(0, 59)
    yield* send(a)
    expect(calls).toHaveLength(2)
    yield* at(1, 5)
    yield* send(b)
    yield* at(2, 0)
    // a guess is not a use
    expect(yield* send(a, "guess")).toBe(401)
    yield* at(3, 0)
    expect(calls.slice(2)).toEqual([[[b], "13:00"]])
    expect(yield* Effect.forEach([a, b], lastUse)).toEqual(["12:00", "13:00"])
  })

  it.effect("keeps the hour of the request, however late it is recorded", function* () {
    const { calls, send } = yield* start()
    yield* at(0, 59.5)
    yield* send(a)
    yield* at(1, 0.2)
    yield* send(b)
    yield* at(1, 2)
    expect(calls).toEqual([
      [[a], "12:00"],
      [[b], "13:00"]
    ])
  })

  it.effect("is tried again each minute while the store is away, which the log has once", function* () {
    let isAway = true
    const { lines } = yield* logged(
      Effect.gen(function* () {
        const { calls, lastUse, send } = yield* start((recording) => (isAway ? away : recording))
        yield* send(a)
        for (const minute of [11, 12, 13]) {
          yield* at(0, minute)
          expect(yield* send(b)).toBe(200)
        }
        expect(calls.length).toBe(4)
        isAway = false
        yield* at(0, 14)
        expect(yield* Effect.forEach([a, b], lastUse)).toEqual(["12:00", "12:00"])
      })
    )
    const message = "the last use of keys cannot be recorded at the moment: no route to the server"
    expect(lines).toMatchObject([{ message }])
  })

  it.effect("is tried again after a defect of the store, which the log has once", function* () {
    let defects = 2
    const { lines } = yield* logged(
      Effect.gen(function* () {
        const bug = Effect.die(new Error("a bug"))
        const { lastUse, send } = yield* start((recording) => (defects-- > 0 ? bug : recording))
        yield* send(a)
        yield* at(0, 13)
        expect(yield* Effect.forEach([a], lastUse)).toEqual(["12:00"])
      })
    )
    expect(lines).toMatchObject([{ message: "the last use of keys cannot be recorded at the moment" }])
  })

  it.effect("holds up neither requests nor the end of the service while the store says nothing", function* () {
    const scope = yield* Scope.make()
    const { calls, send } = yield* Scope.provide(
      start(() => Effect.never),
      scope
    )
    yield* send(a)
    yield* at(0, 11)
    expect(calls).toHaveLength(1)
    expect(yield* send(a)).toBe(200)
    expect(yield* send(b)).toBe(200)
    const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* at(0, 11.1)
    expect(closed.pollUnsafe()).toEqual(Exit.void)
  })

  it.effect("is recorded when the service ends, that of a call that was under way as well", function* () {
    const hanging: Array<Recording> = [Effect.never]
    const scope = yield* Scope.make()
    const { lastUse, send } = yield* Scope.provide(
      start((recording) => hanging.pop() ?? recording),
      scope
    )
    yield* send(a)
    yield* at(0, 11)
    yield* send(b)
    yield* Scope.close(scope, Exit.void)
    expect(yield* Effect.forEach([a, b], lastUse)).toEqual(["12:00", "12:00"])
  })
})
