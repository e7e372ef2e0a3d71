import { choice, element, labelled, numeric } from "./element.ts"
import * as Policy from "./policy.ts"

/** A number of a policy. */
interface Field {
  readonly label: string
  readonly unit: string
  readonly get: (policy: Policy.Policy) => number
  readonly set: (policy: Policy.Policy, value: number) => Policy.Policy
}

const retry = (name: Exclude<keyof Policy.Policy["retry"], "budget">, label: string, unit: string): Field => ({
  label,
  unit,
  get: (policy) => policy.retry[name],
  set: (policy, value) => ({ ...policy, retry: { ...policy.retry, [name]: value } })
})
const deadline = (name: keyof Policy.Policy["deadline"], label: string): Field => ({
  label,
  unit: "ms",
  get: (policy) => policy.deadline[name],
  set: (policy, value) => ({ ...policy, deadline: { ...policy.deadline, [name]: value } })
})
const budget = (name: keyof Policy.Policy["retry"]["budget"], label: string): Field => ({
  label,
  unit: "tokens",
  get: (policy) => policy.retry.budget[name],
  set: (policy, value) => ({
    ...policy,
    retry: { ...policy.retry, budget: { ...policy.retry.budget, [name]: value } }
  })
})

const first = [
  retry("attempts", "Maximum attempts", ""),
  deadline("attempt", "Deadline per attempt"),
  deadline("total", "Deadline per call")
]
const others = [
  retry("base", "Longest first backoff", "ms"),
  retry("baseRateLimited", "Longest first backoff after a 429", "ms"),
  retry("cap", "Longest backoff", "ms"),
  retry("maxHint", "Longest wait at the service's request", "ms"),
  budget("capacity", "Retry budget"),
  budget("retry", "Cost of a retry"),
  budget("timeout", "Cost after a timeout"),
  budget("success", "Earned by a success")
]

const presets = { standard: Policy.standard, none: Policy.none, patient: Policy.patient }
const presetNames = {
  standard: "Retry.standard",
  none: "Retry.none",
  patient: "Retry.patient, 15 minutes",
  own: "your own"
}
const presetOf = (policy: Policy.Policy): keyof typeof presetNames => {
  const text = JSON.stringify(policy)
  return text === JSON.stringify(presets.standard)
    ? "standard"
    : text === JSON.stringify(presets.none)
      ? "none"
      : text === JSON.stringify(presets.patient)
        ? "patient"
        : "own"
}

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
  const control = ({ get, label, set, unit }: Field) =>
    labelled(
      label,
      numeric(get(current), (value) => edit(set(current, value))),
      unit
    )

  const form = element("fieldset", { className: "lab-policy" })
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
      ...(pacing._tag === "Fixed"
        ? [
            labelled(
              "Requests in a window",
              numeric(pacing.limit, (limit) =>
                edit({ ...current, pacing: { ...pacing, limit, window: fixedWindow() } })
              )
            ),
            labelled(
              "Window",
              numeric(pacing.window, (window) =>
                edit({ ...current, pacing: { ...pacing, limit: fixedLimit(), window } })
              ),
              "ms"
            )
          ]
        : []),
      element("details", {}, element("summary", {}, `More limits of policy ${name}`), ...others.map(control))
    )
  }
  const fixedWindow = () => (current.pacing._tag === "Fixed" ? current.pacing.window : 10_000)
  const fixedLimit = () => (current.pacing._tag === "Fixed" ? current.pacing.limit : 10)
  const preset = choice(presetNames, presetOf(policy), (chosen) => {
    if (chosen === "own") return
    edit(presets[chosen])
    render()
  })
  render()
  return form
}
