/** `docs/errors.md`, made of the operations, the classes of the reasons with their doc comments, and the advice. */
import { readFileSync } from "node:fs"
import * as Duration from "effect/Duration"
import * as Advice from "@cloud-management/core/Advice"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import { operations } from "@cloud-management/core/Operations"
import { docComments } from "./comments.ts"

/** Every operation of the API. */
export const all: ReadonlyArray<Operation.Any> = Object.values(operations).flatMap((group) =>
  Object.values<Operation.Any>(group)
)
const declared = new Map(all.flatMap(({ errors }) => errors.map((refusal) => [refusal.name, refusal])))

/** A row of the table, which has a column for each field. */
export interface Row {
  readonly reason: string
  readonly operations: string
  readonly status: string
  readonly retryable: string
}

/** One way in which a call fails, and when that is. */
type Case = readonly [when: string, reason: { readonly _tag: string; readonly message: string }, status?: number]

const isRetryable = ([, reason, status]: Case) =>
  new CloudError.CloudError({ operation: "", method: "", path: "", status, attempts: 1, outcome: "unknown", reason })
    .isRetryable

/** `yes`, `no`, or the cases in which it is. */
const retryable = (cases: ReadonlyArray<Case>) => {
  const some = cases.filter(isRetryable)
  return some.length === 0 ? "no" : some.length === cases.length ? "yes" : some.map(([when]) => when).join(", ")
}

const message = ""
const limit = Duration.seconds(1)
const others = Array.from({ length: 300 }, (_, i) => 300 + i).filter((status) =>
  [...declared.values()].every((refusal) => refusal.status !== status)
)

/** The reasons that only a client can see: with which status, and their cases. */
const client: Readonly<
  Record<CloudError.ClientReason["_tag"], { readonly status: string; readonly cases: ReadonlyArray<Case> }>
> = {
  UnexpectedStatus: {
    status: "any other; 404 without the service's envelope",
    cases: [404, ...others].map((status) => [`${status}`, new CloudError.UnexpectedStatus({ message }), status])
  },
  InvalidResponse: { status: "2xx", cases: [["", new CloudError.InvalidResponse({ message }), 200]] },
  TransportFailed: {
    status: "none, or 2xx",
    cases: [true, false].map((transient) => [
      transient ? "if `transient`" : "",
      new CloudError.TransportFailed({ message, transient })
    ])
  },
  Timeout: { status: "none, or 2xx", cases: [["", new CloudError.Timeout({ message, limit })]] },
  Throttled: { status: "none", cases: [["", new CloudError.Throttled({ message, retryAfter: limit })]] }
}

/** The rows of the table: the reasons of every operation first, then those of single ones, then the client's own. */
export const rows: ReadonlyArray<Row> = [
  ...[...declared].map(([reason, refusal]) => {
    const having = all.filter(({ errors }) => errors.includes(refusal))
    return {
      reason,
      operations: having.length === all.length ? "all" : having.map((one) => `\`${Operation.nameOf(one)}\``).join(", "),
      status: `${refusal.status}`,
      retryable: retryable([["", new refusal({ message }), refusal.status]])
    }
  }),
  ...Object.entries(client).map(([reason, { cases, status }]) => ({
    reason,
    operations: "all",
    status,
    retryable: retryable(cases)
  }))
]

const sources = ["ApiKey", "CloudError", "ReversePrivateEndpoint"].map((name) =>
  readFileSync(new URL(`../../packages/core/src/${name}.ts`, import.meta.url), "utf8")
)

/** The first paragraph of the doc comment of a reason's class, without the status. */
const meaning = (reason: string): string => {
  const source = sources.find((source) => source.includes(`export class ${reason} `))
  const [comment] = docComments(source?.split(`export class ${reason} `, 1)[0] ?? "").slice(-1)
  const sentence = (comment?.split("\n\n", 1)[0] ?? "").replaceAll("\n", " ").replace(/^\d+: /, "")
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

const advice: Readonly<Record<string, string | undefined>> = Advice.byReason

/** The text of the document. */
export const text = `# Errors

Every call fails with a \`CloudError\`. The table lists its reasons by \`_tag\`; with [promises](promise.md), \`reason\` is this
name. The type of each operation lists the reasons for which it can fail.

"Retryable" is \`isRetryable\`: the same call can succeed later without any change. [Reliability](reliability.md#retries)
describes which failures the client retries itself, and what \`outcome\` says about a failed call. The status is that of the last
response; for a \`TransportFailed\` or \`Timeout\`, it is that of a success whose body did not arrive.

| reason | operations | status | retryable | what happened | what to do |
| --- | --- | --- | --- | --- | --- |
${rows.map(({ operations, reason, retryable, status }) => `| \`${reason}\` | ${operations} | ${status} | ${retryable} | ${meaning(reason)} | ${advice[reason] ?? ""} |\n`).join("")}
To show people the last column, use \`Advice.byReason[error.reason._tag]\`. The command prints the same sentences, or one that
names its own options.

<!-- To change this page, edit checks/documents/errors.ts, then: npx vitest run --project checks checks/documents/Errors.test.ts -u -->
`
