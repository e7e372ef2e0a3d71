import type { Operation } from "@cloud-management/client"
import type * as Api from "../served/Api.ts"

/** A declared response, and a status that it has. */
export interface Status {
  readonly status: number
  readonly response: Api.Response
}

export const withoutContent = (response: Api.Response): Api.Response => ({ ...response, contents: [] })

/** The success of an operation that declares none. */
const undeclared: Api.Response = { status: "2XX", contents: [], headers: [] }

export const successes = ({ responses }: Api.Operation, { success }: Operation.Any): ReadonlyArray<Status> => {
  const named = (pattern: RegExp) => responses.filter(({ status }) => pattern.test(status))
  const declared = named(/^2/)
  const others = success._tag === "Redirect" ? named(/^30[12378]$/) : named(/^DEFAULT$/)
  const isDefault = success._tag !== "Empty" || others.some(({ contents }) => contents.length === 0)
  const all = declared.length > 0 ? declared : isDefault ? others : [undeclared]
  const exact = all.filter(({ status }) => /^\d+$/.test(status))
  return (exact.length > 0 ? exact : all).map((response) => {
    const own = success._tag === "Redirect" ? success.status : 200
    const status = /^\d+$/.test(response.status) ? Number(response.status) : own
    return { status, response: [204, 205].includes(status) || status > 299 ? withoutContent(response) : response }
  })
}

export const failures = ({ responses }: Api.Operation, successes: ReadonlyArray<Status>): ReadonlyArray<Status> => {
  const declared = new Set(responses.map(({ status }) => status))
  const candidates = ["418", "451", "507", "511"]
  return responses.flatMap((response): ReadonlyArray<Status> => {
    const { status } = response
    if (/^[45]\d\d$/.test(status)) return [{ status: Number(status), response }]
    const range = status === "DEFAULT" ? "" : status[0]
    if (range !== "" && range !== "4" && range !== "5") return []
    const free = candidates.find(
      (one) => one.startsWith(range) && !declared.has(one) && (range !== "" || !declared.has(`${one[0]}XX`))
    )
    // a default that is the success does not say what refusals hold
    const isSuccess = successes.some((one) => one.response.status === status)
    return free === undefined
      ? []
      : [{ status: Number(free), response: isSuccess ? withoutContent(response) : response }]
  })
}
