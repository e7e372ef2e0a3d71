/** Records the program with the service, replays it without, and prints what came of it when that is the same. */
import { NodeTransport } from "@cloud-management/node"
import { Recorder } from "@cloud-management/testing"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { readFile } from "node:fs/promises"
import { program } from "./program.ts"

const file = "cassettes/program.json"
const nowhere = Layer.effect(HttpClient.HttpClient, Effect.die("a replay needs no transport"))
const run = (transport: Layer.Layer<HttpClient.HttpClient>, options: Partial<Recorder.Options>): Promise<string> =>
  program.pipe(
    Effect.provide(transport.pipe(Recorder.layer({ file, ...options }), Layer.provide(NodeFileSystem.layer))),
    Effect.provide(
      ConfigProvider.layerAdd(ConfigProvider.fromUnknown({ CI: options.mode === undefined ? "true" : "" }), {
        asPrimary: true
      })
    ),
    Effect.runPromise
  )

const recorded = await run(NodeTransport.layer, { mode: "record" })
const cassette = await readFile(file, "utf8")
const secret = process.env["CLOUD_MANAGEMENT_KEY_SECRET"] ?? ""
if (secret === "" || cassette.includes(secret)) throw new Error("the cassette contains the secret")

process.env["CLOUD_MANAGEMENT_BASE_URL"] = "https://api.example.com"
const replayed = await run(nowhere, {})
console.log(replayed === recorded ? replayed : `recorded ${recorded}, replayed ${replayed}`)
