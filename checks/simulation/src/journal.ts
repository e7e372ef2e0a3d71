import { Fault } from "@cloud-management/testing/Faults"
import type { Deadline } from "@cloud-management/client/Deadline"
import type { Retry } from "@cloud-management/client/Retry"
import { Context, type Exit } from "effect"
import type { Ask, Client, Key, Step } from "./plan.ts"
import { makeOwner, type Owner, type VirtualTime } from "./virtualTime.ts"

export interface Failure {
  readonly reason: { readonly _tag: string; readonly message: string }
  readonly status?: number | undefined
  readonly attempts: number
  readonly outcome: "not-sent" | "refused" | "unknown"
  readonly isRetryable: boolean
}

export interface Call {
  readonly number: number
  readonly fiber: string
  readonly client: Client
  readonly ask: Ask
  readonly retry: Retry
  readonly deadline: Deadline
  readonly startedAt: number
  readonly attempts: Array<Attempt>
  readonly owner: Owner
  interruptedAt?: number
  endedAt?: number
  exit?: Exit.Exit<unknown, Failure>
}

export interface Attempt {
  readonly call: Call
  readonly number: number
  readonly sentAt: number
  readonly idempotencyKey: string | undefined
  /** Its fault on the way, apart from latency. */
  fault: Fault
  /** When the head of the response was there, the connection failed, or the client gave up on it. */
  endedAt?: number
  status?: number
  broken: boolean
  hint?: number | undefined
  exchange?: Exchange
}

/** One request at the service. `begun` and `ended` are places among all events; what is interrupted has no end. */
export interface Exchange {
  readonly label: string
  readonly caller: Key
  readonly ask: Ask
  readonly begun: number
  ended: number
  /** The status of the response; absent when the service was interrupted. */
  status?: number
  /** The earliest and the latest time by which the service can have judged whether a key has expired. */
  readonly walls: [from: number, to: number]
  /** Whether the store says that it deleted a key, or created a thing. */
  applied: boolean
}

const current = <A>(name: string) =>
  Context.Reference<A | undefined>(`@cloud-management/checks/simulation/${name}`, { defaultValue: () => undefined })
export const CurrentCall = current<Call>("CurrentCall")
export const CurrentAttempt = current<Attempt>("CurrentAttempt")
export const CurrentExchange = current<Exchange>("CurrentExchange")

/** An attempt as the trace names it: `17.2` is the second request of call 17. */
export const label = ({ call, number }: Attempt) => `${call.number}.${number}`

export const describe = (ask: Ask): string => {
  switch (ask.kind) {
    case "list":
      return "list"
    case "get":
      return `get endpoint ${ask.id.slice(-12)} of organization ${ask.organization.name}${ask.exists ? "" : ", which is not there"}`
    case "create":
      return `create ${ask.name} in organization ${ask.organization.name}, ${ask.keyed ? "with" : "without"} an idempotency key`
    case "delete":
      return `delete key ${ask.key?.name ?? `${ask.id.slice(-2)}, which is not there,`} of organization ${ask.organization.name}`
  }
}

export const make = (time: VirtualTime) => {
  const calls: Array<Call> = []
  const exchanges: Array<Exchange> = []
  const open = new Set<Exchange>()
  /** The latest time of day so far, and the latest that the service has certainly seen: its clock of expiry never goes back. */
  let passed = -Infinity
  let seen = -Infinity
  const latest = () => (passed = Math.max(passed, time.wall()))
  const earliest = () => Math.max(seen, time.wall())
  const widen = ({ walls }: Exchange) => {
    walls[0] = Math.min(walls[0], earliest())
    walls[1] = latest()
  }
  const trace: Array<string> = []
  const counts = new Map<string, number>()
  let events = 0

  const note = (who: string, what: string) => {
    trace.push(`${time.now().toFixed(3).padStart(12)}  ${who.padEnd(8)}  ${what}`)
    return events++
  }

  const count = (what: string, by = 1) => {
    counts.set(what, (counts.get(what) ?? 0) + by)
  }

  return {
    calls,
    exchanges,
    trace,
    note,
    counts,
    count,

    call: (client: Client, fiber: string, step: Step): Call => {
      const number = calls.length + 1
      const call: Call = {
        number,
        fiber,
        client,
        ask: step.ask,
        retry: { ...client.retry, ...step.retry },
        deadline: { ...client.deadline, ...step.deadline },
        startedAt: time.now(),
        attempts: [],
        owner: makeOwner(`call ${number}`)
      }
      calls.push(call)
      note(fiber, `call ${number}: ${describe(step.ask)}`)
      return call
    },

    attempt: (call: Call, idempotencyKey: string | undefined): Attempt => {
      const attempt: Attempt = {
        call,
        number: call.attempts.length + 1,
        sentAt: time.now(),
        idempotencyKey,
        fault: Fault.None(),
        broken: false
      }
      call.attempts.push(attempt)
      return attempt
    },

    exchange: (label: string, caller: Key, ask: Ask): Exchange => {
      const exchange: Exchange = {
        label,
        caller,
        ask,
        begun: note("service", `${label} begins: key ${caller.name} asks to ${describe(ask)}`),
        ended: Infinity,
        walls: [earliest(), latest()],
        applied: false
      }
      exchanges.push(exchange)
      open.add(exchange)
      return exchange
    },

    exchangeEnded: (exchange: Exchange, status: number | undefined) => {
      open.delete(exchange)
      widen(exchange)
      // other requests may have had their response before their key was looked at
      if (status !== undefined && status !== 429 && status !== 503) seen = Math.max(seen, exchange.walls[0])
      if (status === undefined) {
        // what was begun may still be finished
        exchange.walls[1] = Infinity
        note("service", `${exchange.label} is interrupted`)
      } else {
        exchange.status = status
        exchange.ended = note("service", `${exchange.label} responds with ${status}`)
      }
    },

    applied: (exchange: Exchange, what: string) => {
      exchange.applied = true
      note("store", `${exchange.label} ${what}`)
    },

    /** To be called before the wall clock moves by itself, and after it with how far it moved. */
    wallMoved: (by: number | undefined) => {
      latest()
      for (const exchange of open) widen(exchange)
      if (by === undefined) return
      count("clock-jump")
      note("clock", `the time of day jumps by ${by} ms`)
    }
  }
}

export type Journal = ReturnType<typeof make>
