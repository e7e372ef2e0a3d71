/**
 * `npm run test:busy -- 10`: `npm test` ten times (once without a number) beside four processes that keep the machine
 * busy. A test that fails only here needs an idle machine, which is a defect. `-- 10 tests` runs only this step.
 */
import { spawn, spawnSync } from "node:child_process"

const [times = "1", ...steps] = process.argv.slice(2)
if (!/^[1-9]\d*$/.test(times)) throw new Error(`${times} is not a number of runs: pass a whole number from 1`)

// ends with this process, however that ends: nobody holds the other end of its input any more
const loop = `
  process.stdin.resume().on("end", () => process.exit())
  const spin = () => {
    const end = performance.now() + 50
    while (performance.now() < end) {}
    setImmediate(spin)
  }
  spin()
`
const loops = Array.from({ length: 4 }, () =>
  spawn(process.execPath, ["--eval", loop], { stdio: ["pipe", "ignore", "inherit"] })
)

let passed = 0
for (let n = 1; n <= Number(times); n++) {
  const start = performance.now()
  const { status, stdout } = spawnSync(process.execPath, ["checks/main.ts", "test", ...steps], {
    encoding: "utf8",
    maxBuffer: Infinity,
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (status === 0) passed++
  else console.log(stdout)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`${n}: ${stdout.trimEnd().split("\n").at(-1)}, ${seconds} s`)
}
for (const child of loops) child.kill()
console.log(`${passed} of ${times} beside four busy loops`)
process.exitCode = passed === Number(times) ? 0 : 1
