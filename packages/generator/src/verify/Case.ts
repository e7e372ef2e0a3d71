import type * as Api from "../served/Api.ts"
import type * as Media from "../served/Media.ts"
import { Unfollowed } from "../served/References.ts"
import type * as Reply from "../served/Reply.ts"
import { Beyond } from "../served/Variation.ts"
import type * as Pages from "./Pages.ts"
import type { Round } from "./Round.ts"
import type * as Sample from "./Sample.ts"

/** One call: what is sent, what the service responds, and how it is to end. */
export interface Case {
  readonly _tag: "Case"
  readonly round: Round
  /** For people: its subject. */
  readonly note: string
  readonly input: Sample.Sample
  readonly choice: number
  readonly response: Api.Response
  readonly content: Media.Content | undefined
  /** `undefined`: the operation asks for none that is declared. */
  readonly reply: Reply.Reply | undefined
  readonly pages?: Pages.Kind
  readonly end:
    | { readonly _tag: "success"; readonly hasStatus: boolean }
    | { readonly _tag: "refusal" }
    | { readonly _tag: "invalid" }
    | { readonly _tag: "not sent"; readonly remove: ReadonlyArray<string> }
}

/** A round, or calls of it, for which no value is made. */
export interface Unjudged {
  readonly _tag: "Unjudged"
  readonly round: Round
  readonly note: string
  readonly reason: string
}

export type All = Generator<Case | Unjudged>

export const unjudged = (round: Round, note: string, reason: string): Unjudged => ({
  _tag: "Unjudged",
  round,
  note,
  reason
})

/** Cases, or why there are none. */
export function* guard(round: Round, note: string, make: () => Iterable<Case | Unjudged>): All {
  try {
    yield* make()
  } catch (error) {
    // a schema in a schema, without end
    const isEndless = error instanceof RangeError
    if (!(error instanceof Beyond || error instanceof Unfollowed || isEndless)) throw error
    yield unjudged(round, note, error.message)
  }
}
