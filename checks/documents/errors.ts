/** `docs/library/errors.md`, made of the operations, the classes of the reasons with their doc comments, and the advice. */
import { globSync, readFileSync } from "node:fs"
import * as Advice from "@cloud-management/core/Advice"
import * as CallError from "@cloud-management/client/CallError"
import * as Operation from "@cloud-management/client/Operation"
import { operations } from "@cloud-management/core/Operations"
import { docComments } from "./markdown.ts"

const all: ReadonlyArray<Operation.Any> = Object.values(operations).flatMap((group) =>
  Object.values<Operation.Any>(group)
)
const refusals = new Set(all.flatMap(({ errors }) => errors))

/** The status and retryability of the reasons that only the client can see. */
const client: Readonly<Record<CallError.ClientReason["_tag"], readonly [status: string, retryable: string]>> = {
  InvalidInput: ["none", "no"],
  UnexpectedStatus: ["any other; 404 without the service's envelope", "408, 502, 504"],
  InvalidResponse: ["2xx", "no"],
  TransportFailed: ["none, or 2xx", "if `transient`"],
  Timeout: ["none, or 2xx", "yes"],
  Throttled: ["none", "yes"]
}

/** The rows of the table: the reasons of every operation first, then those of single ones, then the client's own. */
const rows = [
  ...[...refusals].map((refusal) => {
    const having = all.filter(({ errors }) => errors.includes(refusal))
    const names = having.map((one) => `\`${Operation.nameOf(one)}\``).join(", ")
    const { isRetryable } = new CallError.CallError({
      operation: "",
      method: "",
      path: "",
      status: Number(refusal.status),
      attempts: 1,
      outcome: "unknown",
      reason: Reflect.construct(refusal, [{ message: "" }])
    })
    return [refusal.name, having.length === all.length ? "all" : names, refusal.status, isRetryable ? "yes" : "no"]
  }),
  ...Object.entries(client).map(([reason, cells]) => [reason, "all", ...cells])
]

const sources = globSync("packages/{client,core}/src/*.ts").map((file) => readFileSync(file, "utf8"))

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

Every call fails with a \`CallError\`. The table lists its reasons by \`_tag\`; with [promises](promise.md), \`reason\` is this
name. The type of each operation lists the reasons for which it can fail.

"Retryable" is \`isRetryable\`: the same call can succeed later without any change. [Reliability](reliability.md#retries)
describes which failures the client retries itself, and what \`outcome\` says about a failed call. The status is that of the last
response; for a \`TransportFailed\` or \`Timeout\`, it is that of a success whose body did not arrive.

| reason | operations | status | retryable | what happened | what to do |
| --- | --- | --- | --- | --- | --- |
${rows.map(([reason = "", ...cells]) => `| ${[`\`${reason}\``, ...cells, meaning(`${reason}`), advice[reason] ?? ""].join(" | ")} |\n`).join("")}
To show people the last column, use \`Advice.byReason[error.reason._tag]\`. The command prints the same sentences, or one that
names its own options.

<!-- To change this page, edit checks/documents/errors.ts, then: npx vitest run --project checks checks/documents/Errors.test.ts -u -->
`
