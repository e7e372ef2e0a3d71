import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Net from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { setFlagsFromString } from "node:v8"
import * as Dice from "../fixtures/Dice.ts"
import * as Guesses from "./guesses.ts"
import * as Malformed from "./malformed.ts"
import * as Pauses from "./pauses.ts"
import * as Request from "./Request.ts"
import * as Tenant from "./Tenant.ts"

/** What came of a run. */
export interface Report {
  readonly sent: number
  /** How many requests HTTP does not allow. */
  readonly malformed: number
  /** How many went through an HTTP client. */
  readonly overClient: number
  /** How many were part of guessing at a secret, from an address of which proxies name many hops. */
  readonly guesses: number
  /** How many exchanges ended otherwise than the model has it, since a thread paused meanwhile. */
  readonly late: number
  readonly wrong: ReadonlyArray<string>
  /** Of the service, in bytes, from a tenth of the run to its end. */
  readonly heapGrowth: number
}

/** What a malformed request may be answered with; it may also be valid still, or end with the connection. */
const allowed = new Set([100, 200, 204, 400, 401, 403, 404, 405, 408, 413, 414, 417, 421, 429, 431, 501])
/** Longer than any of the limits that the service has here. */
const patience = 60_000
const lanes = 64

interface Exchange {
  readonly text: string
  /** The end of a connection is told to the service, or left to it. */
  readonly halfClose: boolean
  readonly address: string
}

/** Sends bytes, and gives what came until the connection ended; nothing when it never did. */
const exchange = (url: URL, { address, halfClose, text }: Exchange): Promise<string | undefined> =>
  new Promise((done) => {
    let received = ""
    const socket = Net.connect({ port: Number(url.port), host: url.hostname, localAddress: address })
    const timer = setTimeout(() => {
      done(undefined)
      socket.destroy()
    }, patience)
    socket.setEncoding("latin1").on("data", (chunk) => (received += chunk))
    // a connection that is refused while much is still to be sent is reset
    socket.on("error", () => {})
    socket.once("close", () => {
      clearTimeout(timer)
      done(received)
    })
    const bytes = Buffer.from(text, "latin1")
    if (halfClose) socket.end(bytes)
    else socket.write(bytes)
  })

/** The statuses of a connection, and among them how often a body was asked for. */
const statusesOf = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** What no answer may show, whatever was sent. */
const faultOf = (
  received: string,
  tenant: Tenant.Tenant,
  tenants: ReadonlyArray<Tenant.Tenant>
): string | undefined => {
  const status = statusesOf(received).find((status) => status >= 500 && status !== 501)
  if (status !== undefined) return `answered ${status}`
  if (/node:internal|node_modules|\.ts:\d+|    at /.test(received)) return "showed a stack trace"
  const other = tenants.find((other) => other !== tenant && received.includes(other.marker))
  return other === undefined ? undefined : `showed what is ${other.organization}'s`
}

/** Whether requests were answered until one of them was too late, which ends the connection, most often after 408. */
const isLate = (answered: ReadonlyArray<number>, expected: ReadonlyArray<number>) =>
  answered.every((status, i) => status === expected[i] || (status === 408 && i === answered.length - 1))

/** What an HTTP client can say, as it would say it; nothing when it would say something else. */
const viaClient = (url: URL, { body, closes, headers, host, method, target }: Request.Request) => {
  const [path = ""] = target.split("?", 1)
  const whole = `${url.origin}${target}`
  if (
    host !== "fuzz" ||
    closes ||
    body !== "" ||
    method === "TRACE" ||
    !URL.canParse(whole) ||
    new URL(whole).pathname !== path
  )
    return
  return HttpClientRequest.make(isMethod(method) ? method : "GET")(whole, { headers })
}
const isMethod = Schema.is(Schema.Literals(["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "OPTIONS"]))

const perform = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClient.execute(request).pipe(
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ text, status: response.status }))),
    Effect.timeoutOption(patience),
    Effect.catch((error) => Effect.succeed(Option.some({ text: error.message, status: 0 }))),
    Effect.provide(FetchHttpClient.layer),
    Effect.runPromise
  )

/** Sends so many requests, all of them decided by the seed. */
export const run = async (options: { readonly requests: number; readonly seed: number }): Promise<Report> => {
  const tenants = Array.from({ length: lanes }, (_, n) => Tenant.make(n))
  const wrong: Array<string> = []
  let sent = 0
  let malformed = 0
  let overClient = 0
  let guesses = 0
  let guessers = 0
  let late = 0
  const memory = Pauses.memory()
  const pauses = Pauses.make(memory)
  pauses.watch()
  // for the worker, which is asked to collect before it is measured
  setFlagsFromString("--expose-gc")
  const worker = new Worker(new URL("./service.ts", import.meta.url), {
    workerData: { pauses: memory, seed: Tenant.seed(tenants) }
  })
  let running = true
  worker.once("error", (error) => wrong.push(`the service crashed: ${String(error)}`))
  worker.once("exit", () => {
    if (running) wrong.push("the service ended")
  })
  const told = <A>(field: string) =>
    new Promise<A>((done) => {
      const listen = (message: Readonly<Record<string, A>>) => {
        const value = message[field]
        if (value === undefined) return
        worker.off("message", listen)
        done(value)
      }
      worker.on("message", listen)
    })
  worker.on("message", ({ log }: { readonly log?: string }) => {
    if (log !== undefined) wrong.push(`logged ${log}`)
  })
  const url = new URL(await told<string>("url"))
  // a document is made when it is first asked for, and Node ends a connection whose caller ended it meanwhile
  await Promise.all(["/openapi.json", "/docs"].map(async (page) => (await fetch(new URL(page, url))).text()))
  const heap = () => {
    const answer = told<number>("heap")
    worker.postMessage("heap")
    return answer
  }

  /** A tenth of the requests and more are warm-up. */
  const phase = async (requests: number, seed: number) => {
    const end = sent + requests
    await Promise.all(
      tenants.map(async (tenant, lane) => {
        const dice = Dice.make(String(seed * lanes + lane))
        const others = tenants.filter((other) => other !== tenant)
        const say = (text: string, problem: string) =>
          wrong.push(`${problem} (lane ${lane}, request ${sent}):\n${JSON.stringify(text.slice(0, 600))}`)
        let seen = 0
        /** Whether the answers are those that the model has. */
        const check = async (text: string, received: string | undefined, expected: ReadonlyArray<number>) => {
          const answered = statusesOf(received ?? "")
          const problem = received === undefined ? undefined : faultOf(received, tenant, tenants)
          if (received !== undefined && problem === undefined && answered.join() === expected.join()) return true
          // what came at the end of a pause can be seen before the pause is
          await sleep(200)
          if (problem !== undefined) say(text, problem)
          else if (pauses.count() > seen && (received === undefined || isLate(answered, expected))) late++
          else if (received === undefined) say(text, "never ended")
          else say(text, `answered ${answered.join()} in place of ${expected.join()}`)
          return false
        }
        const guess = async () => {
          for (const { address, statuses, text } of Guesses.make(dice, tenant, guessers++)) {
            sent += statuses.length
            guesses += statuses.length
            seen = pauses.count()
            const received = await exchange(url, { text, halfClose: dice.chance(0.5), address })
            if (!(await check(text, received, statuses))) return
          }
        }
        while (sent < end && running) {
          seen = pauses.count()
          if (dice.chance(0.01)) {
            await guess()
            continue
          }
          // each failed authentication counts against its address
          const address = `127.${1 + dice.below(250)}.${dice.below(250)}.${1 + dice.below(250)}`
          const isMalformed = dice.chance(0.4)
          const halfClose = dice.chance(isMalformed ? 0.98 : 0.5)
          if (isMalformed) {
            // a key that only the malformed use: what becomes of its deletion no model knows
            const text = Malformed.make(dice, Request.encode(Request.make(dice, { ...tenant, spares: [] }, others)))
            sent++
            malformed++
            const received = await exchange(url, { text, halfClose, address })
            if (received === undefined) await check(text, received, [])
            else {
              const problem = faultOf(received, tenant, tenants)
              const status = statusesOf(received).find((status) => !allowed.has(status))
              if (problem !== undefined) say(text, problem)
              else if (status !== undefined) say(text, `answered ${status}`)
            }
            continue
          }
          const batch: Array<Request.Request> = []
          const length = 1 + dice.below(8)
          while (batch.length < length && batch.at(-1)?.closes !== true) {
            batch.push(Request.make(dice, tenant, others))
          }
          const last = batch.at(-1)
          if (last === undefined) continue
          const call = batch.length === 1 && isMethod(last.method) ? viaClient(url, last) : undefined
          if (call !== undefined) {
            sent++
            overClient++
            const answer = await perform(call)
            const text = Request.encode(last)
            if (Option.isNone(answer)) {
              await check(text, undefined, [])
              continue
            }
            const { status, text: body } = answer.value
            const problem = faultOf(body, tenant, tenants)
            if (problem !== undefined) say(text, problem)
            // all that comes from a client comes from one address, which may fail a hundred times a minute
            else if (status === 0) say(text, body)
            else if (status !== 429 || last.status !== 401) await check(text, `HTTP/1.1 ${status} `, [last.status])
            continue
          }
          const closing = [...last.headers, ["Connection", "close"] as const]
          // of a connection that ends nothing more may be looked at
          const after = dice.chance(0.2) ? Request.stowaway(tenant) : ""
          const text = [...batch.slice(0, -1), { ...last, headers: closing }].map(Request.encode).join("") + after
          sent += batch.length
          const received = await exchange(url, { text, halfClose, address })
          const expected = batch.flatMap(({ continues, status }) => (continues ? [100, status] : [status]))
          // a reset can overtake the answer that explains it
          const cut = last.closes && statusesOf(received ?? "").length === expected.length - 1
          await check(text, received, cut ? expected.slice(0, -1) : expected)
        }
      })
    )
  }

  const warmUp = Math.ceil(options.requests / 10)
  await phase(warmUp, options.seed)
  const before = await heap()
  await phase(options.requests - warmUp, options.seed + 1)
  const after = await heap()
  running = false
  await worker.terminate()
  return { sent, malformed, overClient, guesses, late, wrong, heapGrowth: after - before }
}
