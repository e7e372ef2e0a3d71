#!/usr/bin/env node
import process from "node:process"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `error: cloud-management-generate needs Node.js 22.19 or later; this is ${process.versions.node}\n`
  )
  process.exitCode = 2
} else {
  // a reader such as `head` may end early; what is generated is written, and what is served goes on
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
  // after the check: an older Node.js cannot load it
  const Cli = await import("../Cli.ts")
  process.exitCode = await Cli.run(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY
  })
}
