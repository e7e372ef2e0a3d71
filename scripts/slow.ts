/**
 * `npm run test:slow`: 100 sockets that send their headers a byte at a time and 100 that do so with a body, against
 * `serve` as it is. All have to be closed within 15 seconds, and the other requests have to keep their latency.
 */
import * as Effect from "effect/Effect"
import * as Slow from "../packages/cli/test/slow.ts"
import { percentile } from "../bench/percentile.ts"

const show = (values: ReadonlyArray<number>) =>
  `median ${percentile(values, 0.5).toFixed(2)} ms, 99th percentile ${percentile(values, 0.99).toFixed(2)} ms, ` +
  `${values.length} requests`

const { before, bodies, during, headers } = await Effect.runPromise(Slow.run)
console.log(`alone:     ${show(before)}`)
console.log(`meanwhile: ${show(during)}`)
console.log(
  `${Slow.sockets} slow headers closed within ${headers.toFixed(1)} s, ${Slow.sockets} slow bodies within ${bodies.toFixed(1)} s`
)
const slower = percentile(during, 0.5) / percentile(before, 0.5)
const isFine = Math.max(headers, bodies) < 15 && slower < 2
console.log(isFine ? "ok" : `NOT as it has to be: the median is ${slower.toFixed(1)} times that before`)
process.exitCode = isFine ? 0 : 1
