import type { Fault } from "@cloud-management/testing/Faults"
import * as Equal from "effect/Equal"
import * as Policy from "./policy.ts"
import type { Run } from "./run.ts"
import { kinds } from "./scenario.ts"
import type { State } from "./state.ts"

const duration = (millis: number) => {
  if (millis % 1000 !== 0) return `"${millis} millis"`
  return millis % 60_000 === 0 ? `"${millis / 60_000} minutes"` : `"${millis / 1000} seconds"`
}

/** A value as TypeScript: JSON in a line, with names of properties as programs write them. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, " ")
    .replaceAll(/(?<=[{,] )"([a-z]\w*)":/gi, "$1:")

/** The fields of a part of a policy that differ from the library's own, as an option. */
const differing = (part: "retry" | "deadline", policy: Policy.Policy) => {
  const standard = new Map<string, unknown>(Object.entries(Policy.toOptions(Policy.standard)[part]))
  const fields = Object.entries(Policy.toOptions(policy)[part])
    .filter(([name, value]) => !Equal.equals(value, standard.get(name)))
    .map(
      ([name, value]) =>
        `${name}: ${typeof value !== "number" || name === "attempts" ? literal(value) : duration(value)}`
    )
  return fields.length === 0 ? [] : [`${part}: { ${fields.join(", ")} }`]
}

const options = (policy: Policy.Policy): ReadonlyArray<string> => {
  const { limit, pacing, window } = policy
  const fixed = `pacing: Pacing.fixed({ limit: ${limit}, window: ${duration(window)} })`
  const paced = { None: [], Adaptive: ["pacing: Pacing.adaptive"], Fixed: [fixed] }[pacing]
  return [...differing("retry", policy), ...differing("deadline", policy), ...paced]
}

const core = ({ pacing }: Policy.Policy, ...others: ReadonlyArray<string>) =>
  ["CloudManagement", ...others, ...(pacing === "None" ? [] : ["Pacing"])].join(", ")

export const policy = (policy: Policy.Policy): string => {
  const own = options(policy)
  return `import { ${core(policy)} } from "@cloud-management/core"

${own.length === 0 ? "// all as in Retry.standard and Deadline.standard\n" : ""}${policy.clients === "each" ? "// one for each call, each with its own retry budget\n" : ""}${policy.jitter === "none" ? "// with full jitter, which the client always has\n" : ""}export const cloud = CloudManagement.layerConfig(${own.length === 0 ? "" : `{\n  ${own.join(",\n  ")}\n}`})
`
}

const fault = ({ _tag, ...fields }: Fault) =>
  `Faults.Fault.${_tag}(${Object.keys(fields).length === 0 ? "" : literal(fields)})`

const sources = import.meta.glob<string>("./trouble.ts", { query: "?raw", import: "default", eager: true })
/** The declarations of `trouble.ts`, which a test takes along. */
const [, way = "", now = "", outage = "", queue = ""] = (sources["./trouble.ts"] ?? "").split(/(?=^\/\*\*)/m)

const faultsOf = ({ faults }: State): readonly [argument: string, before: string] => {
  if (faults._tag === "Script")
    return [`[${faults.faults.map(([kind, value]) => fault(kinds[kind][2](value))).join(", ")}]`, way]
  if (faults._tag === "Queue") return [`queue(${literal(faults.trouble)})`, way + now + queue]
  const { fault: own, ...node } = faults.trouble
  return [`outage({ ...${literal(node)}, fault: ${fault(own)} })`, way + now + outage]
}

const asks: Readonly<Record<State["ask"], string>> = {
  "list organizations": "cloud.organizations.list()",
  "read an endpoint": "cloud.reversePrivateEndpoints.get(Fixtures.endpoint)",
  "delete a key": "cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: key.id })"
}

/** A test that plays the scenario under the policy of a run, and expects what came of it in the lab. */
export const test = (state: State, { calls, policy }: Run): string => {
  const { ask, every = 0, rateLimit, seed, title } = state
  const [faults, before] = faultsOf(state)
  const longest = "Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 1 })"
  const keys = `[Fixtures.backupKey, ...Object.values(Fixtures.spareKeys)].slice(0, ${calls.length})`
  const [item, items] = ask === "delete a key" ? ["key", keys] : ["_", `Array.from({ length: ${calls.length} })`]
  const make = "CloudManagement.make(options)"
  return `/** ${title}. Made in the fault lab. */
import { ${core(policy, "Credentials")} } from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { ${before.includes("Clock") ? "Clock, " : ""}Effect, Exit, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"

${before.replaceAll("export ", "")}
const transport = InMemoryTransport.layer(Fixtures.seed${rateLimit === undefined ? "" : `, { rateLimit: ${literal(rateLimit)} }`}).pipe(
  Faults.inject(${faults}),
  Faults.inject(way())
)
const options = {
  ${['baseUrl: "http://in-memory"', "credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)", ...options(policy)].join(",\n  ")}
} as const

it.effect(${JSON.stringify(title)}, () =>
  Effect.gen(function* () {
    const client = ${policy.clients === "one" ? `yield* Effect.cached(${make})` : make}
    const calls = Effect.forEach(
      ${items},
      (${item}, index) =>
        client.pipe(
          Effect.flatMap((cloud) => ${asks[ask]}),
          Effect.exit,
          Effect.delay(index * ${every})
        ),
      { concurrency: "unbounded" }
    )
    const running = yield* Effect.forkChild(calls)
    yield* TestClock.adjust("2 hours")
    const exits = yield* Fiber.join(running)
    expect(exits.filter(Exit.isSuccess).length).toBe(${calls.filter(({ ending }) => ending._tag === "Succeeded").length})
  }).pipe(${policy.jitter === "full" ? `Random.withSeed(${seed})` : longest}, Effect.provide(transport))
)
`
}
