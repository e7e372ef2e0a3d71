import { Cause, Clock, Context, Effect, Exit, Fiber, Layer, Logger, Metric, Option, Random } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { CloudManagement } from "@cloud-management/core"
import { Credentials, Deadline, Pacing, Retry } from "@cloud-management/client"
import { Faults, InMemoryTransport } from "@cloud-management/testing"
import * as Creation from "./creation.ts"
import * as Dice from "../../fixtures/Dice.ts"
import * as Journal from "./journal.ts"
import * as Network from "./network.ts"
import * as Plan from "./plan.ts"
import { rules } from "./rules.ts"
import * as VirtualTime from "./virtualTime.ts"

export const faults: ReadonlyArray<string> = [...Plan.kinds, "late", "store-away", "clock-jump"]

/** How a call can end, as `counts` names it. The last three are rightly unknown to the client. */
export const outcomes: ReadonlyArray<string> = [
  "succeeded",
  "assumed deleted",
  "refused",
  "not-sent",
  "interrupted",
  "unknown, a read",
  "unknown, applied",
  "unknown, not applied"
]

const baseUrl = "http://simulation"

const policyOf = ({ pacing }: Plan.Client): { readonly pacing?: Pacing.Pacing } =>
  pacing === "none" ? {} : { pacing: pacing === "adaptive" ? Pacing.adaptive : Pacing.fixed(pacing) }

const invoke = (
  cloud: CloudManagement.CloudManagement["Service"],
  { ask, deadline, retry }: Plan.Step
): Effect.Effect<unknown, Journal.Failure> => {
  const call: Effect.Effect<unknown, Journal.Failure> =
    ask.kind === "list"
      ? cloud.organizations.list()
      : ask.kind === "create"
        ? cloud.execute(ask.keyed ? Creation.create : Creation.createOnce, {
            organizationId: ask.organization.id,
            payload: { name: ask.name }
          })
        : ask.kind === "get"
          ? cloud.reversePrivateEndpoints.get({
              organizationId: ask.organization.id,
              serviceId: ask.service,
              reversePrivateEndpointId: ask.id
            })
          : cloud.apiKeys.delete({ organizationId: ask.organization.id, keyId: ask.id })
  return call.pipe(Retry.within(retry), Deadline.within(deadline))
}

const outcomeOf = ({ ask, attempts, exit }: Journal.Call): string => {
  if (exit === undefined) return "never ended"
  if (Exit.isSuccess(exit)) return attempts.at(-1)?.status === 404 ? "assumed deleted" : "succeeded"
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "died"
  if (error.outcome !== "unknown") return error.outcome
  if (ask.kind === "list" || ask.kind === "get") return "unknown, a read"
  return attempts.some(({ exchange }) => exchange?.applied === true) ? "unknown, applied" : "unknown, not applied"
}

const live = Effect.fnUntraced(function* (
  { journal, time }: Network.Setting,
  ended: (call: Journal.Call) => void,
  transport: Context.Context<HttpClient.HttpClient>,
  client: Plan.Client
) {
  const context = yield* Layer.build(
    CloudManagement.layer({
      baseUrl,
      credentials: Credentials.make(client.key.id, client.key.secret),
      deadline: client.deadline,
      retry: client.retry,
      ...policyOf(client)
    }).pipe(Layer.provide(Layer.succeedContext(transport)))
  )
  const cloud = Context.get(context, CloudManagement.CloudManagement)

  const take = Effect.fnUntraced(function* (name: string, step: Plan.Step) {
    yield* Effect.sleep(step.pause)
    const call = journal.call(client, name, step)
    const fiber = yield* Effect.forkChild(invoke(cloud, step)).pipe(
      Effect.provideService(VirtualTime.Owner, call.owner),
      Effect.provideService(Journal.CurrentCall, call)
    )
    fiber.addObserver((exit) => {
      call.exit = exit
      call.endedAt = time.now()
      const outcome = outcomeOf(call)
      const error = Option.getOrUndefined(Exit.findErrorOption(exit))
      const why = error === undefined ? "" : `: ${error.reason._tag} after ${error.attempts} attempts`
      journal.note(name, `call ${call.number} ends: ${outcome}${why}`)
      journal.count(outcome)
      ended(call)
    })
    if (step.interruptAfter !== undefined) {
      yield* Effect.timeoutOption(Fiber.await(fiber), step.interruptAfter)
      if (fiber.pollUnsafe() === undefined) {
        call.interruptedAt = time.now()
        journal.note(name, `call ${call.number} is interrupted`)
        yield* Fiber.interrupt(fiber)
      }
    }
    yield* Fiber.await(fiber)
  })

  yield* Effect.forEach(
    client.fibers,
    (steps, index) => Effect.forEach(steps, (step) => take(`${client.name}${index + 1}`, step), { discard: true }),
    { concurrency: "unbounded", discard: true }
  )
})

const probe = Effect.fnUntraced(function* (
  { journal }: Network.Setting,
  plan: Plan.Plan,
  service: Context.Context<HttpClient.HttpClient>
) {
  const client = Context.get(service, HttpClient.HttpClient)
  for (const key of plan.keys) {
    const exchange = journal.exchange(`probe ${key.name}`, key, { kind: "list" })
    const request = HttpClientRequest.get(`${baseUrl}/v1/organizations`).pipe(
      HttpClientRequest.basicAuth(key.id, key.secret)
    )
    const response = yield* Effect.orDie(client.execute(request))
    journal.exchangeEnded(exchange, response.status)
  }
})

/**
 * One run. The code is the real one on both sides; only time, chance and the order in which fibers run come from the seed,
 * so the same seed gives the same trace to the byte. To be run on a scheduler that turns on its own, as every runtime has.
 */
export const run = Effect.fnUntraced(function* (seed: number) {
  const plan = Plan.make(seed)
  const time = VirtualTime.make(Dice.make(`order ${seed}`), { ...plan, onJump: (by) => journal.wallMoved(by) })
  const journal: Journal.Journal = Journal.make(time)
  const chance = Dice.make(`client ${seed}`)
  const secure = Dice.make(`secure ${seed}`)
  const violations: Array<{ readonly rule: string; readonly message: string }> = []
  let fair = false

  const owners = {
    run: VirtualTime.makeOwner("the run"),
    network: VirtualTime.makeOwner("the network"),
    service: VirtualTime.makeOwner("the service")
  }
  const setting: Network.Setting = {
    weather: plan.weather,
    dice: Dice.make(`network ${seed}`),
    journal,
    time,
    ...owners,
    isFair: () => fair
  }
  /** Calls that have ended since the last moment at which nothing could run. */
  let ended: Array<Journal.Call> = []
  const leaves = ({ fibers, name, timers }: VirtualTime.Owner) => {
    if (fibers + timers > 0) {
      violations.push({ rule: "nothing is left behind", message: `${name} left ${fibers} fibers and ${timers} timers` })
    }
  }
  const settle = () => {
    for (const { owner } of ended) leaves(owner)
    ended = []
  }

  const serviceLayer = InMemoryTransport.layerService.pipe(
    Layer.provide(Layer.unwrap(Creation.makeService(setting, { rateLimit: plan.rateLimit }))),
    Layer.provide(Network.layerStore(setting, InMemoryTransport.layerStore(plan.document))),
    Layer.provide(Layer.succeed(SecureRandom.SecureRandom, SecureRandom.make(secure.bytes)))
  )
  const program = Effect.gen(function* () {
    const service = yield* Layer.build(serviceLayer)
    const transport = yield* Layer.build(
      Layer.succeedContext(service).pipe(
        Network.carry(setting),
        Faults.inject(Network.faults(setting)),
        Network.observe(setting)
      )
    )
    yield* Effect.forEach(plan.clients, (client) => live(setting, (call) => ended.push(call), transport, client), {
      concurrency: "unbounded",
      discard: true
    })
    // what is still under way arrives
    yield* Effect.sleep("1 minute")
    fair = true
    yield* probe(setting, plan, service)
  })

  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    const call = fiber.getRef(Journal.CurrentCall)
    const text = Array.isArray(message) ? String(message[0]) : String(message)
    journal.note(call?.fiber ?? "service", `${logLevel}: ${text}`)
  })
  // a fiber of its own root: one that the host's fiber forks would make that fiber wait in the order of the run
  const fiber = Effect.runForkWith(
    Context.empty().pipe(
      Context.add(Metric.FiberRuntimeMetrics, {
        recordFiberStart: (context) => void Context.get(context, VirtualTime.Owner).fibers++,
        recordFiberEnd: (context) => void Context.get(context, VirtualTime.Owner).fibers--
      }),
      Context.add(VirtualTime.Owner, owners.run),
      Context.add(Logger.CurrentLoggers, new Set([logger])),
      Context.add(Random.Random, chance.service),
      Context.add(Clock.Clock, time.clock)
    )
  )(Effect.scoped(program), { scheduler: time.scheduler })
  const end = yield* time.run(settle)
  const exit = fiber.pollUnsafe()
  if (end === "endless" || exit === undefined) {
    violations.push({ rule: "something can always happen", message: `the run is ${end}, and not over` })
  } else if (Exit.isFailure(exit)) {
    violations.push({ rule: "something can always happen", message: `the run died: ${Cause.pretty(exit.cause)}` })
  }
  Object.values(owners).forEach(leaves)
  for (const [rule, look] of Object.entries(rules)) {
    for (const message of look(plan, journal)) violations.push({ rule, message })
  }
  journal.count("calls", journal.calls.length)
  for (const { attempts } of journal.calls) journal.count("attempts", attempts.length)
  journal.count("exchanges", journal.exchanges.length)
  for (const { applied, ask } of journal.exchanges) {
    if (applied) journal.count(ask.kind === "delete" ? "deletions" : "creations")
  }
  /** One line an event: virtual time in milliseconds, who, what. The same seed gives the same lines. */
  const trace: ReadonlyArray<string> = journal.trace
  /** How often what happened: `calls`, `attempts`, every kind of fault, every outcome. */
  const counts: Readonly<Record<string, number>> = Object.fromEntries(journal.counts)
  return { seed, trace, violations, counts }
})
export type Report = Effect.Success<ReturnType<typeof run>>
