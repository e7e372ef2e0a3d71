import { Effect } from "effect"
import type { Machine, Patroni } from "./Patroni.ts"

export interface Fault {
  readonly name: string
  readonly prepare?: (primary: Machine) => Effect.Effect<unknown>
  readonly begin: (primary: Machine, standby: Machine) => Effect.Effect<unknown, unknown>
  readonly end: (primary: Machine, standby: Machine) => Effect.Effect<unknown>
}

const each = (effects: ReadonlyArray<Effect.Effect<void>>) => Effect.all(effects, { discard: true })

/** Between a machine and all others of the database and etcd; nodes and HAProxy still reach it. */
const links = (primary: Machine, standby: Machine) => [primary.etcd, ...primary.ways, ...standby.ways]

export const frozen: Fault = {
  name: "SIGSTOP of both, then SIGCONT and a new Patroni",
  begin: ({ freeze }) => freeze,
  end: ({ thaw }) => thaw
}

export const partitioned: Fault = {
  name: "partition from etcd and the standby",
  begin: (primary, standby) => each(links(primary, standby).map(({ block }) => block)),
  end: (primary, standby) => each(links(primary, standby).map(({ unblock }) => unblock))
}

export const orphaned: Fault = {
  name: "kill -9 of its Patroni alone",
  begin: ({ killPatroni }) => killPatroni,
  end: ({ start }) => start
}

export const switchedOver = ({ control }: Patroni): Fault => ({
  name: "patronictl switchover",
  begin: (primary, standby) => control("switchover", "--leader", primary.name, "--candidate", standby.name, "--force"),
  end: () => Effect.void
})

/** The primary is killed while its standby receives nothing, after something was tried in that state. */
export const killed = (meanwhile: Effect.Effect<void>): Fault => ({
  name: "replication hangs, then kill -9 of both",
  prepare: ({ ways }) => Effect.andThen(each(ways.map(({ block }) => block)), meanwhile),
  begin: ({ kill }) => kill,
  // not before: what is under way would arrive after all
  end: ({ start, ways }) => Effect.andThen(each(ways.map(({ unblock }) => unblock)), start)
})
