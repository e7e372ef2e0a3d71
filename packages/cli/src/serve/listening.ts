import type { ListenFailed } from "@cloud-management/service/node/HttpHost"
import * as Failure from "../output/Failure.ts"

const otherHost =
  "Pass an address of this machine with --host: 127.0.0.1 accepts connections from this machine only, 0.0.0.0 listens on all addresses."

/** Advice by the code with which the system refuses an address. `flag` chooses the port. */
const advice = (flag: string) =>
  new Map([
    ["EADDRNOTAVAIL", otherHost],
    ["ENOTFOUND", otherHost],
    ["EAI_AGAIN", otherHost],
    ["EACCES", `Ports below 1024 need rights that this process lacks: pass another with --${flag}.`],
    ["EADDRINUSE", `Pass another port with --${flag}, 0 for a free one, or stop the process that uses it.`]
  ])

export const failure = (flag: string, { code, message }: ListenFailed) =>
  Failure.make(
    code === "EADDRINUSE" ? "transient" : "usage",
    "ListenFailed",
    message,
    /^\S*\//.test(message)
      ? "Stop the process that uses it, or pass the path of a file that is not there yet, of at most 107 bytes, in a folder that this process can write to."
      : (advice(flag).get(code) ?? `Pass another --host or --${flag}; --${flag} 0 picks a free port.`)
  )
