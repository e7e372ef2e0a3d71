#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// the modules behind a command are many: from the second start on they load compiled, in two thirds of the time
enableCompileCache()
await import("./internal/main.ts")
