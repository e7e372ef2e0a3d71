import { hold } from "./figures.ts"

export type Kinds = Readonly<Record<string, readonly [size: number, make: (count: number) => () => unknown]>>

const most = 2.2
/** How often each is measured: as often as it must be, and more often while it is above the limit. */
const turns = { least: 3, most: 30 }
const factors = [1, 2, 4]

/** The seconds of the processor that a run takes, of so many: what else the machine does is not in them. */
const secondsOf = async (run: () => unknown, times: number): Promise<number> => {
  const start = process.cpuUsage()
  for (let i = 0; i < times; i++) await run()
  const { system, user } = process.cpuUsage(start)
  return (user + system) / 1e6 / times
}

/** How often a run must be repeated to be measured: some machines count time by hundredths of a second. */
const timesOf = async (run: () => unknown): Promise<number> => {
  let times = 1
  while ((await secondsOf(run, times)) * times < 0.1) times *= 2
  return times
}

/**
 * The least time of all turns counts: the first ones compile the code, and a busy machine makes some slower. Each size is
 * measured for as long as the others, or the smallest would find a quiet moment more often.
 */
export const judge = async (kinds: Kinds, chosen = ""): Promise<void> => {
  console.log("twice as many: seconds, growth")
  for (const [kind, [size, make]] of Object.entries(kinds)) {
    if (!kind.includes(chosen)) continue
    const works = factors.map((factor) => ({ factor, run: make(size * factor), least: Infinity }))
    const [first, , last] = works
    if (!first || !last) continue
    const times = await timesOf(last.run)
    let growth = Infinity
    for (let turn = 0; turn < turns.least || (growth > most && turn < turns.most); turn++) {
      for (const work of works) {
        const seconds = await secondsOf(work.run, (times * last.factor) / work.factor)
        work.least = Math.min(work.least, seconds)
      }
      growth = Math.sqrt(last.least / first.least)
    }
    console.log(`${kind}: ${works.map(({ least }) => least.toFixed(5)).join(" → ")}, ${growth.toFixed(2)}`)
    hold(kind, growth, "at most", most)
  }
}
