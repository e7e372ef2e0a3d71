import type { Call } from "./calls.ts"
import * as Policy from "./policy.ts"
import { kinds, latency, type Kind, type Scenario } from "./scenario.ts"

const duration = (millis: number) =>
  millis % 60_000 === 0 && millis > 0
    ? `"${millis / 60_000} minutes"`
    : millis % 1000 === 0 && millis > 0
      ? `"${millis / 1000} seconds"`
      : `"${millis} millis"`

/** A value as TypeScript: JSON in a line, with names of properties as programs write them. */
const literal = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replaceAll(/\n */g, " ")
    .replaceAll(/(?<=[{,] )"([a-z]\w*)":/gi, "$1:")

/** The fields of a part of a policy that differ from the library's own, as an option. */
const differing = (name: "retry" | "deadline", own: object, standard: object) => {
  const known = new Map(Object.entries(standard).map(([field, value]) => [field, literal(value)]))
  const fields = Object.entries(own)
    .filter(([field, value]) => literal(value) !== known.get(field))
    .map(
      ([field, value]) => `${field}: ${field === "attempts" || field === "budget" ? literal(value) : duration(value)}`
    )
  return fields.length === 0 ? [] : [`${name}: { ${fields.join(", ")} }`]
}

/** The options of a client that differ from the library's own, one a line. */
const options = (policy: Policy.Policy): ReadonlyArray<string> => {
  const [own, standard] = [Policy.toOptions(policy), Policy.toOptions(Policy.standard)]
  return [
    ...differing("retry", own.retry, standard.retry),
    ...differing("deadline", own.deadline, standard.deadline),
    ...(policy.pacing === "Adaptive" ? ["pacing: Pacing.adaptive"] : []),
    ...(policy.pacing === "Fixed"
      ? [`pacing: Pacing.fixed({ limit: ${policy.limit}, window: ${duration(policy.window)} })`]
      : [])
  ]
}

const core = (policy: Policy.Policy, ...others: ReadonlyArray<string>) =>
  ["CloudManagement", ...others, ...(policy.pacing === "None" ? [] : ["Pacing"])].join(", ")

/** A client with the policy. */
export const policy = (policy: Policy.Policy): string => {
  const own = options(policy)
  return `import { ${core(policy)} } from "@cloud-management/core"

${own.length === 0 ? "// all as in Retry.standard and Deadline.standard\n" : ""}${policy.jitter === "none" ? "// with full jitter, which the client always has\n" : ""}export const cloud = CloudManagement.layerConfig(${own.length === 0 ? "" : `{\n  ${own.join(",\n  ")}\n}`})
`
}

const fault = (kind: Kind, value: number) => {
  const { _tag, ...fields } = kinds[kind][3](value)
  return `Faults.Fault.${_tag}(${Object.keys(fields).length === 0 ? "" : literal(fields)})`
}

const sources = import.meta.glob<string>("./trouble.ts", { query: "?raw", import: "default", eager: true })
/** The declarations of `trouble.ts`, which a test takes along. */
const [, clock = "", outage = "", queue = ""] = Object.values(sources)
  .join("")
  .replaceAll("export ", "")
  .split(/(?=^\/\*\*)/m)

/** The faults as the argument of `Faults.inject`, and what has to be declared before. */
const faultsOf = ({ faults }: Scenario): readonly [argument: string, before: string] => {
  switch (faults._tag) {
    case "Script":
      return [`[${faults.faults.map(([kind, value]) => fault(kind, value)).join(", ")}]`, ""]
    case "Outage":
      return [`outage({ ...${literal(faults.node)}, fault: ${fault(faults.kind, 0)} })`, clock + outage]
    case "Queue":
      return [`queue(${literal(faults.service)})`, `${clock}${queue}\n`]
  }
}

const asks: Readonly<Record<Scenario["ask"], string>> = {
  "list organizations": "cloud.organizations.list()",
  "read an endpoint": "cloud.reversePrivateEndpoints.get(Fixtures.endpoint)",
  "delete a key": "cloud.apiKeys.delete({ organizationId: Fixtures.acme, keyId: Fixtures.backupKey.id })"
}

/** The program of the test: forks the calls, lets time pass, and expects how they end. */
const program = ({ ask, every }: Scenario, { clients }: Policy.Policy, calls: ReadonlyArray<Call>): string => {
  const succeeded = calls.filter(({ ending }) => ending._tag === "Succeeded").length
  if (calls.length === 1) {
    return `    const cloud = yield* CloudManagement.make(options)
    const call = yield* Effect.forkChild(Effect.exit(${asks[ask]}))
    yield* TestClock.adjust("2 hours")
    expect(Exit.isSuccess(yield* Fiber.join(call))).toBe(${succeeded === 1})`
  }
  const one = ask === "delete a key" ? asks[ask].replace("Fixtures.backupKey.id", "key.id") : asks[ask]
  const call = clients === "one" ? one : `Effect.flatMap(CloudManagement.make(options), (cloud) => ${one})`
  const items =
    ask === "delete a key"
      ? `[Fixtures.backupKey, ...Object.values(Fixtures.spareKeys)].slice(0, ${calls.length})`
      : `Array.from({ length: ${calls.length} })`
  return `${clients === "one" ? "    const cloud = yield* CloudManagement.make(options)\n" : ""}    const calls = Effect.forEach(
      ${items},
      (${ask === "delete a key" ? "key" : "_"}, index) => ${call}.pipe(Effect.exit, Effect.delay(index * ${every})),
      { concurrency: "unbounded" }
    )
    const running = yield* Effect.forkChild(calls)
    yield* TestClock.adjust("2 hours")
    const exits = yield* Fiber.join(running)
    expect(exits.filter(Exit.isSuccess).length).toBe(${succeeded})`
}

/** A test that plays the scenario under the policy with the seed, and expects what came of it in the lab. */
export const test = (scenario: Scenario, policy: Policy.Policy, seed: number, calls: ReadonlyArray<Call>): string => {
  const [faults, before] = faultsOf(scenario)
  const { rateLimit, title } = scenario
  const random =
    policy.jitter === "full"
      ? `Random.withSeed(${seed})`
      : "Effect.provideService(Random.Random, { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 1 })"
  const service = rateLimit === undefined ? "" : `, { rateLimit: ${literal(rateLimit)} }`
  return `/** ${title}. Made in the fault lab. */
import { ${core(policy, "Credentials")} } from "@cloud-management/core"
import { Faults, Fixtures, InMemoryTransport } from "@cloud-management/testing"
import { expect, it } from "@effect/vitest"
import { ${before === "" ? "" : "Clock, "}Effect, Exit, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"

${before}/** Each request takes ${latency} ms. */
function* latency() {
  for (;;) yield Faults.Fault.Delay({ duration: ${latency} })
}

const transport = InMemoryTransport.layer(Fixtures.seed${service}).pipe(
  Faults.inject(${faults}),
  Faults.inject(latency())
)
const options = {
  ${['baseUrl: "http://in-memory"', "credentials: Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)", ...options(policy)].join(",\n  ")}
} as const

it.effect(${JSON.stringify(title)}, () =>
  Effect.gen(function* () {
${program(scenario, policy, calls)}
  }).pipe(${random}, Effect.provide(transport))
)
`
}
