import { expect, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { type Audit, Revocations } from "@cloud-management/service"
import type { ApiKey } from "@cloud-management/service/KeyStore"

const keyId = "a0000000-0000-4000-8000-000000000001"
const at = (n: number) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1) + n * 1000)
const iso = (n: number) => DateTime.formatIso(at(n))

type Part = Partial<Audit.Record> & { readonly audit: string }
type Key = Pick<ApiKey, "createdAt" | "expiresAt" | "state">
const fresh: Key = { createdAt: at(0), expiresAt: undefined, state: "enabled" }
const nothing = { delete: false, disable: false, expiresAt: undefined }

const pending = (parts: ReadonlyArray<Part>, key: Key = fresh) => {
  const records = parts.map((part, n) => ({ time: at(n + 1), keyId, ...part }))
  const revocation = Revocations.fromRecords(records).get(keyId)
  return revocation === undefined ? nothing : Revocations.pending(revocation, key)
}

const perhaps = (act: string): Part => ({ audit: "act.unconfirmed", act })
const perhapsChanged = (expiresAt: string): Part => ({ ...perhaps("key.changed"), expiresAt })
const changed = (n: number): Part => ({ audit: "key.changed", expiresAt: iso(n) })
const rotated = (n: number): Part => ({ audit: "key.rotated", expiresAt: iso(n) })
const said = (id: number | undefined, audit: string, n: number): Part => ({ ...(id && { id }), audit, time: at(n) })

const [off, on] = ["key.disabled", "key.enabled"] as const
const late: Key = { ...fresh, createdAt: at(30) }

/** Not in the property below: acts that were not confirmed, rotations, and clocks that disagree. */
const cases: ReadonlyArray<readonly [string, ReadonlyArray<Part>, object, Key?]> = [
  ["a deletion in the second of the creation", [said(undefined, "key.deleted", 0)], { delete: true }],
  ["a deletion that was not confirmed", [perhaps("key.deleted")], { delete: true }],
  ["a deletion, the age unknown", [{ audit: "key.deleted" }], { delete: true }, { ...fresh, createdAt: undefined }],
  ["enabled by records out of order", [said(undefined, "key.enabled", 9), { audit: "key.disabled" }], {}],
  ["perhaps disabled", [perhaps("key.disabled")], { disable: true }],
  ["perhaps enabled again", [{ audit: "key.disabled" }, perhaps("key.enabled")], { disable: true }],
  ["a later expiry", [changed(50)], {}, { ...fresh, expiresAt: at(49) }],
  ["an expiry, and perhaps a later one", [changed(50), perhapsChanged(iso(60))], { expiresAt: at(50) }],
  ["an expiry, and perhaps never", [changed(50), perhapsChanged("never")], { expiresAt: at(50) }],
  ["an expiry, and a rotation with a longer overlap", [changed(50), rotated(60)], { expiresAt: at(50) }],
  ["an expiry, and a rotation with a shorter overlap", [changed(60), rotated(50)], { expiresAt: at(50) }],
  ["disabled last, by a clock that is behind", [said(1, off, 9), said(2, on, 10), said(3, off, 8)], { disable: true }],
  ["enabled last, by a clock that is behind, in a file out of order", [said(2, on, 8), said(1, off, 9)], {}],
  ["a deletion by a clock behind", [said(1, "key.created", 30), said(2, "key.deleted", 1)], { delete: true }, late],
  ["an ID in a part of the records", [said(2, off, 9), said(undefined, off, 1), said(3, on, 8)], { disable: true }],
  ["records of two databases", [said(2, off, 9), said(2, "key.changed", 1), said(3, on, 8)], { disable: true }],
  ["records of two exports that overlap", [said(1, off, 9), said(2, on, 8), said(1, off, 9)], {}],
  ["another name", [{ audit: "key.changed", changed: "name" }], {}],
  ["a record of another key", [{ audit: "key.deleted", keyId: "a0000000-0000-4000-8000-000000000002" }], {}],
  ["a failed authentication", [{ audit: "authentication.failed" }], {}]
]
const complete = cases.map(([name, parts, expected, key = fresh]) => [name, parts, expected, key] as const)
it.each(complete)("a restored key with %s", (_, parts, expected, key) => {
  expect(pending(parts, key)).toEqual({ ...nothing, ...expected })
})

const after = (key: Key | undefined, { audit, expiresAt, time }: Part & { time: DateTime.Utc }): Key | undefined => {
  switch (audit) {
    case "key.created":
      return key ?? { ...fresh, createdAt: time }
    case "key.deleted":
      return undefined
    case "key.changed":
      return key && { ...key, expiresAt: expiresAt === "never" ? undefined : DateTime.makeUnsafe(expiresAt ?? "") }
  }
  return key && { ...key, state: audit === "key.enabled" ? "enabled" : "disabled" }
}

const Acts = Schema.Array(
  Schema.Union([
    Schema.Struct({ audit: Schema.Literals(["key.created", "key.deleted", "key.disabled", "key.enabled"]) }),
    Schema.Struct({
      audit: Schema.Literal("key.changed"),
      expiresAt: Schema.Literals(["never", iso(50), iso(60), iso(70)])
    })
  ])
)

const made = { audit: "key.created" } as const
const Back = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
/** The states of a key from its first one on, and the records of the acts that changed it. */
const history = (
  first: Key | undefined,
  acts: ReadonlyArray<Part>,
  recordOf: (n: number) => { readonly time: DateTime.Utc; readonly id?: number }
) => {
  const states = [first]
  const records: Array<Audit.Record> = []
  for (const [n, act] of acts.entries()) {
    const before = states.at(-1)
    // what is not there, or there already, fails and is not recorded
    if ((act.audit === "key.created") === (before !== undefined)) continue
    const record = { ...recordOf(n), keyId, ...act }
    records.push(record)
    states.push(after(before, record))
  }
  const restored = (back: number) => states.at(-1 - Math.min(back, states.length - 1))
  return { last: states.at(-1), restored, revocation: Revocations.fromRecords(records).get(keyId) ?? {} }
}

it.effect.prop(
  "from whichever moment a key is restored, it can do no more than before, and what it lost by no act it keeps",
  { acts: Acts, back: Back },
  ({ acts, back }) =>
    Effect.sync(() => {
      const { last, revocation, ...states } = history(fresh, acts, (n) => ({ time: at(n + 1) }))
      const restored = states.restored(back)
      if (restored === undefined) return
      const todo = Revocations.pending(revocation, restored)
      const isSame = last !== undefined && last.createdAt === restored.createdAt
      if (!isSame) return expect(todo).toEqual({ ...nothing, delete: true })
      const disable = last.state === "disabled" && restored.state === "enabled"
      expect(todo).toMatchObject({ delete: false, disable })
      const expiry = todo.expiresAt ?? restored.expiresAt
      const millis = (moment: DateTime.Utc | undefined) => moment?.epochMilliseconds ?? Infinity
      expect(millis(expiry)).toBe(Math.min(millis(last.expiresAt), millis(restored.expiresAt)))
    })
)

it.effect.prop(
  "whatever the clocks say, a key that was deleted or disabled since is so again, by records with IDs",
  {
    acts: Acts,
    clocks: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: -5, maximum: 5 }))),
    back: Back
  },
  ({ acts, back, clocks }) =>
    Effect.sync(() => {
      const { last, revocation, ...states } = history(undefined, [made, ...acts], (n) => ({
        id: n,
        time: at(n + (clocks[n % clocks.length] ?? 0))
      }))
      const restored = states.restored(back)
      if (restored === undefined) return
      const todo = Revocations.pending(revocation, restored)
      if (last === undefined) expect(todo.delete).toBe(true)
      else if (last.state === "disabled")
        expect(todo.delete || todo.disable || restored.state === "disabled").toBe(true)
    })
)

it("a key is in doubt if it depends on the times of records without IDs", () => {
  const doubtful = (...parts: ReadonlyArray<Part>) =>
    Revocations.doubtful(parts.map((part, n) => ({ time: at(n), keyId, ...part })))
  const enabled = { audit: "key.enabled" }
  const disabled = { audit: "key.disabled" }
  expect(doubtful(disabled, enabled)).toEqual([])
  expect(doubtful({ ...enabled, time: at(9) }, disabled)).toEqual([keyId])
  expect(doubtful({ ...enabled, time: at(9), id: 1 }, { ...disabled, id: 2 })).toEqual([])
  // in whichever order: both leave it disabled
  expect(doubtful({ ...disabled, time: at(9) }, { audit: "key.changed", changed: "name" })).toEqual([])
})

it("a key that was made and not deleted since should be there", () => {
  const isLeft = (...parts: ReadonlyArray<Part>) => {
    const records = parts.map((part, n) => ({ time: at(n), keyId, ...part }))
    return Revocations.isLeft(Revocations.fromRecords(records).get(keyId) ?? {})
  }
  expect(isLeft({ audit: "key.created" })).toBe(true)
  expect(isLeft({ audit: "key.created" }, { audit: "key.deleted" })).toBe(false)
  expect(isLeft({ audit: "key.created" }, { audit: "key.deleted" }, { audit: "key.created" })).toBe(true)
  expect(isLeft({ audit: "key.disabled" })).toBe(false)
  expect(isLeft({ audit: "key.created", id: 1, time: at(9) }, { audit: "key.deleted", id: 2 })).toBe(false)
})
