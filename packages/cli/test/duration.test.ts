import { Duration, Option } from "effect"
import { expect, it } from "vitest"
import * as Durations from "../src/input/duration.ts"

it.each<readonly [text: string, millis: number | undefined]>([
  ["30s", 30_000],
  ["1h30m", 5_400_000],
  ["5ms", 5],
  ["1d2h3m4s5ms", 93_784_005],
  ["PT5M", 300_000],
  ["P1DT12H", 129_600_000],
  ...["", "0s", "30", "30m1h", "1h 30m", "P", "PT", "P1M", "pt5m", "-1s"].map((text) => [text, undefined] as const)
])("%j lasts %s ms", (text, millis) => {
  expect(Option.getOrUndefined(Option.map(Durations.parse(text), Duration.toMillis))).toBe(millis)
})
