/** Files of a document that come by HTTP. */
import { lookup as resolve } from "node:dns"
import type { LookupFunction } from "node:net"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import Addresses from "ipaddr.js"
import * as Undici from "undici"
import { decode } from "./Json.ts"
import { isHttp, type Opened } from "./Location.ts"

export interface Options {
  /** Whether a public document may lead to this machine and its network. */
  readonly allowsPrivate: boolean
  /** Whether an address is one of those; for tests, which have no public one. */
  readonly isPrivate?: (address: string) => boolean
}

/** Limits on what a document can make the command fetch. */
const limits = { bytes: 100_000_000, redirects: 10, time: Duration.minutes(1) }

/** Whether an address is not one of the public internet, by IANA's registries. */
const isSpecial = (address: string): boolean => Addresses.process(address).range() !== "unicast"

/** The root cause, which Node hides behind "fetch failed". */
const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return causeOf(error.cause)
  return error.message || String(Predicate.hasProperty(error, "code") ? error.code : error.name)
}

const privateError = (host: string) =>
  new Error(`${host} is on this machine or its network, and a public document leads to it: see --allow-private`)

/** Ends a body of which no more is wanted; Undici settles the promise only when the peer ends it. */
const cancel = (body: Pick<ReadableStream, "cancel"> | null): void => void body?.cancel().catch(() => {})

/** Reads a body up to a limit, after decompression. */
const textOf = async (body: ReadableStream<Uint8Array> | null): Promise<string> => {
  const reader = body?.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    size += next.value.byteLength
    if (size > limits.bytes) {
      cancel(reader ?? null)
      throw new Error(`more than ${limits.bytes} bytes`)
    }
    chunks.push(next.value)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Fetches files, each for the file that refers to it; `undefined` stands for the command's user. */
export const make = Effect.fnUntraced(function* ({ allowsPrivate, isPrivate = isSpecial }: Options) {
  /** The hosts that turned out to be private. */
  const inside = new Set<string>()
  /** The credentials of the user's URL, for its origin. */
  const credentials = new Map<string, string>()

  /** Looks at the address that is connected to: a name can have another one each time. */
  const agent = (isGuarded: boolean) => {
    const lookup: LookupFunction = (host, options, done) =>
      resolve(host, { ...options, all: true }, (error, found) => {
        const [first] = found
        if (error !== null || first === undefined) return done(error, "")
        if (found.some(({ address }) => isPrivate(address))) {
          if (isGuarded) return done(privateError(host), "")
          inside.add(host)
        }
        if (options.all === true) done(null, found)
        else done(null, first.address, first.family)
      })
    return Effect.acquireRelease(
      Effect.sync(() => new Undici.Agent({ connect: { lookup } })),
      (agent) => Effect.promise(() => agent.destroy())
    )
  }
  const [guarded, free] = [yield* agent(true), yield* agent(false)]

  const one = async ({ host, hostname, origin, pathname, search }: URL, isGuarded: boolean, signal: AbortSignal) => {
    const address = hostname.replace(/^\[|\]$/g, "")
    if (Addresses.isValid(address) && isPrivate(address)) {
      if (isGuarded) throw privateError(host)
      inside.add(hostname)
    }
    const authorization = credentials.get(origin)
    const response = await Undici.fetch(`${origin}${pathname}${search}`, {
      dispatcher: isGuarded ? guarded : free,
      redirect: "manual",
      signal,
      ...(authorization !== undefined && { headers: { authorization } })
    })
    const location = response.headers.get("location")
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null
    if (response.ok) return await textOf(response.body)
    cancel(response.body)
    if (isRedirect) return new URL(location, `${origin}${pathname}`)
    throw new Error(`HTTP ${response.status}`)
  }

  const follow = async (first: string, from: string | undefined, signal: AbortSignal): Promise<Opened> => {
    let referrer = from
    let url = new URL(first)
    const { origin, password, username } = url
    if (from === undefined && username !== "") {
      const both = `${decode(username)}:${decode(password)}`
      credentials.set(origin, `Basic ${Buffer.from(both).toString("base64")}`)
    }
    for (let i = 0; i <= limits.redirects; i++) {
      if (!isHttp(url.href)) throw new Error(`a redirect to ${url.protocol}`)
      const isPublic = referrer !== undefined && isHttp(referrer) && !inside.has(new URL(referrer).hostname)
      const found = await one(url, isPublic && !allowsPrivate, signal)
      const uri = `${url.origin}${url.pathname}${url.search}`
      if (Predicate.isString(found)) return { uri, content: found }
      referrer = uri
      url = found
    }
    throw new Error(`more than ${limits.redirects} redirects`)
  }

  return (url: string, from: string | undefined): Effect.Effect<Opened, string> =>
    Effect.tryPromise({ try: (signal) => follow(url, from, signal), catch: causeOf }).pipe(
      Effect.timeoutOrElse({
        duration: limits.time,
        orElse: () => Effect.fail(`takes longer than ${Duration.format(limits.time)}`)
      })
    )
})
