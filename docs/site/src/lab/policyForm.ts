import * as Struct from "effect/Struct"
import { element } from "../element.ts"
import { cell, choice, field, labelled, numeric, type Cell } from "./controls.ts"
import * as Policy from "./policy.ts"

const presets = { standard: Policy.standard, none: Policy.none, patient: Policy.patient }
const presetNames = {
  standard: "Retry.standard",
  none: "Retry.none",
  patient: "Retry.patient, 15 minutes",
  own: "your own"
}
const presetOf = (policy: Policy.Policy): keyof typeof presetNames =>
  Struct.keys(presets).find((name) => JSON.stringify(presets[name]) === JSON.stringify(policy)) ?? "own"

const pacings = { None: "none", Adaptive: "the service's rate limit", Fixed: "your own limit" }
const pacingOf = (name: keyof typeof pacings): Policy.Policy["pacing"] =>
  name === "Fixed" ? { _tag: name, limit: 10, window: 10_000 } : { _tag: name }

/** The controls of one policy. */
export const policyForm = (name: string, { get, set }: Cell<Policy.Policy>): HTMLElement => {
  const preset = choice(presetNames, {
    get: () => presetOf(get()),
    set: (chosen) => {
      if (chosen === "own") return
      set(presets[chosen])
      render()
    }
  })
  const policy: Cell<Policy.Policy> = {
    get,
    set: (next) => {
      preset.value = presetOf(next)
      set(next)
    }
  }
  const retry = field(policy, "retry")
  const budget = field(retry, "budget")
  const deadline = field(policy, "deadline")
  const pacing = field(policy, "pacing")
  const windowed = (own: Policy.Policy["pacing"]) => {
    if (own._tag !== "Fixed") return []
    const fixed = cell(own, pacing.set)
    return [numeric("Requests in a window", field(fixed, "limit")), numeric("Window", field(fixed, "window"), "ms")]
  }

  const form = element("fieldset")
  const render = () =>
    form.replaceChildren(
      element("legend", {}, `Policy ${name}`),
      labelled("Preset", preset),
      numeric("Maximum attempts", field(retry, "attempts")),
      numeric("Deadline per attempt", field(deadline, "attempt"), "ms"),
      numeric("Deadline per call", field(deadline, "total"), "ms"),
      labelled(
        "Pacing",
        choice(pacings, {
          get: () => pacing.get()._tag,
          set: (chosen) => {
            pacing.set(pacingOf(chosen))
            render()
          }
        })
      ),
      ...windowed(pacing.get()),
      element(
        "details",
        {},
        element("summary", {}, `More limits of policy ${name}`),
        numeric("Longest first backoff", field(retry, "base"), "ms"),
        numeric("Longest first backoff after a 429", field(retry, "baseRateLimited"), "ms"),
        numeric("Longest backoff", field(retry, "cap"), "ms"),
        numeric("Longest wait at the service's request", field(retry, "maxHint"), "ms"),
        numeric("Retry budget", field(budget, "capacity"), "tokens"),
        numeric("Cost of a retry", field(budget, "retry"), "tokens"),
        numeric("Cost after a timeout", field(budget, "timeout"), "tokens"),
        numeric("Earned by a success", field(budget, "success"), "tokens")
      )
    )
  render()
  return form
}
