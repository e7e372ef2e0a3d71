import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ForwardProxy from "../../../checks/fixtures/ForwardProxy.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const list = ["organizations", "list"]

layer(Server.Served.layer, { excludeTestServices: true })("a command", (it) => {
  it.effect("names a proxy that does not do its part, and never its credentials", () =>
    Effect.gen(function* () {
      // this machine too, but no address of its loopback, which no proxy of the environment is for
      const url = (yield* Server.Served).url.replace("127.0.0.1", "0.0.0.0")
      const env = Server.client(url)
      const proxy = yield* ForwardProxy.make({ credentials: "user:other" })
      const variables = { ...env, http_proxy: proxy.url.replace("://", "://user:sesame@") }
      const { code, stderr, stdout } = yield* Invocation.run(list, variables)
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(
        `cannot connect to ${url}: ${proxy.url}: the proxy does not accept its credentials (407)\n       Check HTTPS_PROXY or`
      )
      expect(stderr).not.toContain("sesame")
      expect(proxy.requests).toEqual([`GET ${url}/v1/organizations`])
      expect(yield* Invocation.run(list, { ...variables, no_proxy: "0.0.0.0" })).toMatchObject({ code: 0 })
    })
  )
})
