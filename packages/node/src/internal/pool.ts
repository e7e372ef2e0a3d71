import { AsyncResource } from "node:async_hooks"
import type * as Net from "node:net"
import type * as Undici from "undici"
import type { Connect } from "./connect.ts"
import type { Exchange } from "./exchange.ts"
import { readFirst } from "./readFirst.ts"

/** Takes one request at a time, over one connection at a time. */
interface Lane {
  readonly client: Undici.Client
  /** The request that has the lane; `undefined` while it is idle. */
  exchange: Exchange | undefined
  /** The socket of a connection that is being made. */
  socket: Net.Socket | undefined
  /** Its place in the list of those that are idle. */
  place: number
  /** Ends the connection that is being made. */
  readonly abandon: () => void
}

/**
 * Makes a pool of at most `limit` connections; `onEmpty` is called when it has none left.
 *
 * A connection that is being made ends with the request that it was begun for, and not after undici's 10 seconds: how
 * long to wait is for the request to say. A request that is given up while it waits leaves nothing behind. Each step takes
 * the same time, however many requests there are, since many can end at once. undici's own pool looks through all of its
 * connections for each request, and keeps the requests that were given up.
 */
export const make = (
  makeClient: (connect: Undici.buildConnector.connector) => Undici.Client,
  connect: Connect,
  limit: number,
  onEmpty: () => void
) => {
  const lanes = new Set<Lane>()
  const idle: Array<Lane> = []
  /**
   * Requests that wait for a lane, by numbers, of which `oldest` is the first that can still be there, and `next` is not
   * given yet; `begin` says whether the lane took it.
   */
  const waiting = new Map<number, { readonly exchange: Exchange; readonly begin: (lane: Lane) => boolean }>()
  let [oldest, next] = [0, 0]

  const leave = (lane: Lane) => {
    lanes.delete(lane)
    if (lanes.size === 0) onEmpty()
  }

  /** Gives a lane whose request has ended to the next one. */
  const free = (lane: Lane) => {
    if (lane.exchange === undefined || lane.client.stats.size > 0) return
    lane.exchange = undefined
    for (; oldest < next; oldest++) {
      const waiter = waiting.get(oldest)
      waiting.delete(oldest)
      if (waiter?.begin(lane) === true) return
    }
    if (lane.client.stats.connected) lane.place = idle.push(lane) - 1
    else leave(lane)
  }

  const open = (): Lane => {
    const client = makeClient((options, callback) =>
      connect(
        options,
        (error, socket) => {
          lane.socket = undefined
          if (socket) callback(null, readFirst(socket))
          else callback(error ?? new Error("no connection"), null)
        },
        (socket) => (lane.socket = socket)
      )
    )
    const abandon = () => lane.socket?.destroy(new Error("no request is waiting for this connection"))
    const lane: Lane = { client, exchange: undefined, socket: undefined, place: 0, abandon }
    client.on("drain", () => free(lane))
    client.on("disconnect", () => {
      if (lane.exchange !== undefined) return
      const last = idle.pop()
      if (last !== undefined && last !== lane) {
        idle[lane.place] = last
        last.place = lane.place
      }
      leave(lane)
    })
    lanes.add(lane)
    return lane
  }

  /** Sends a request, now or when a lane is free. */
  const send = (options: Undici.Dispatcher.DispatchOptions, exchange: Exchange) => {
    const begin = (lane: Lane) => {
      lane.exchange = exchange
      exchange.onAbandoned = lane.abandon
      // if the client has no request now, undici rejected this one at once
      return lane.client.dispatch(options, exchange) || lane.client.stats.size > 0
    }
    const lane = idle.pop() ?? (lanes.size < limit ? open() : undefined)
    if (lane !== undefined) {
      if (!begin(lane)) free(lane)
      return
    }
    const number = next++
    // undici reports this request in the async context of its caller, not of the request that frees the lane
    waiting.set(number, { exchange, begin: AsyncResource.bind(begin) })
    const abandon = () => waiting.delete(number)
    exchange.onAbandoned = abandon
  }

  /** Ends all requests with an error, and closes the connections. */
  const destroy = (error: (isSent: boolean) => Error): Promise<unknown> => {
    for (const { exchange } of waiting.values()) exchange.abort(error)
    const closed = Array.from(lanes, ({ client, exchange }) => {
      exchange?.abort(error)
      return client.destroy(error(true))
    })
    return Promise.all(closed)
  }
  return { send, destroy }
}
/** The connections to one origin. */
export type Pool = ReturnType<typeof make>
