#!/usr/bin/env node
import * as Module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`error: cloud-management needs Node.js 22.19 or later, and this is ${process.versions.node}`)
  process.exit(1)
}

// the modules behind a command are many: from the second start on they load compiled, in two thirds of the time
Module.enableCompileCache()
await import("./internal/main.ts")
