#!/usr/bin/env node
import process from "node:process"
import * as Cli from "../Cli.ts"

process.exitCode = await Cli.run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY
})
