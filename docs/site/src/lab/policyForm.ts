import * as Optic from "effect/Optic"
import * as Struct from "effect/Struct"
import { choice, element, labelled, numeric } from "../element.ts"
import * as Policy from "./policy.ts"

/** A number of a policy, and how it is called. */
type Field = readonly [label: string, unit: string, place: Optic.Lens<Policy.Policy, number>]

const retry = Optic.id<Policy.Policy>().key("retry")
const budget = retry.key("budget")
const deadline = Optic.id<Policy.Policy>().key("deadline")

const first: ReadonlyArray<Field> = [
  ["Maximum attempts", "", retry.key("attempts")],
  ["Deadline per attempt", "ms", deadline.key("attempt")],
  ["Deadline per call", "ms", deadline.key("total")]
]
const others: ReadonlyArray<Field> = [
  ["Longest first backoff", "ms", retry.key("base")],
  ["Longest first backoff after a 429", "ms", retry.key("baseRateLimited")],
  ["Longest backoff", "ms", retry.key("cap")],
  ["Longest wait at the service's request", "ms", retry.key("maxHint")],
  ["Retry budget", "tokens", budget.key("capacity")],
  ["Cost of a retry", "tokens", budget.key("retry")],
  ["Cost after a timeout", "tokens", budget.key("timeout")],
  ["Earned by a success", "tokens", budget.key("success")]
]

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

/** The controls of one policy. `onEdit` gets what the visitor typed, whether it is valid or not. */
export const policyForm = (name: string, policy: Policy.Policy, onEdit: (policy: Policy.Policy) => void) => {
  let current = policy
  const edit = (next: Policy.Policy) => {
    current = next
    preset.value = presetOf(next)
    onEdit(next)
  }
  const control = ([label, unit, place]: Field) =>
    numeric(label, place.get(current), (value) => edit(place.replace(value, current)), unit)
  const windowed = (pacing: Extract<Policy.Policy["pacing"], { readonly _tag: "Fixed" }>) => {
    let own = pacing
    const set = (part: Partial<typeof own>) => edit({ ...current, pacing: (own = { ...own, ...part }) })
    return [
      numeric("Requests in a window", own.limit, (limit) => set({ limit })),
      numeric("Window", own.window, (window) => set({ window }), "ms")
    ]
  }

  const form = element("fieldset")
  const render = () => {
    const { pacing } = current
    preset.value = presetOf(current)
    form.replaceChildren(
      element("legend", {}, `Policy ${name}`),
      labelled("Preset", preset),
      ...first.map(control),
      labelled(
        "Pacing",
        choice(pacings, pacing._tag, (chosen) => {
          edit({ ...current, pacing: pacingOf(chosen) })
          render()
        })
      ),
      ...(pacing._tag === "Fixed" ? windowed(pacing) : []),
      element("details", {}, element("summary", {}, `More limits of policy ${name}`), ...others.map(control))
    )
  }
  const preset = choice(presetNames, presetOf(policy), (chosen) => {
    if (chosen === "own") return
    edit(presets[chosen])
    render()
  })
  render()
  return form
}
