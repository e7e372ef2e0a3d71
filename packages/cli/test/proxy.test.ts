import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as ForwardProxy from "../../../checks/fixtures/ForwardProxy.ts"
import * as Child from "../../../checks/fixtures/Child.ts"
import * as Invocation from "./Invocation.ts"

/** A served service, and the environment of a command that lists its organization. */
const served = Effect.gen(function* () {
  const folder = yield* Child.folder({ "seed.json": JSON.stringify(Fixtures.seed) })
  const { url: local } = yield* Child.serve("--seed", `${folder}/seed.json`)
  // this machine too, but no address of its loopback, which no proxy of the environment is for
  const url = local.replace("127.0.0.1", "0.0.0.0")
  const { id, secret } = Fixtures.deployKey
  return {
    url,
    env: { CLOUD_MANAGEMENT_BASE_URL: url, CLOUD_MANAGEMENT_KEY_ID: id, CLOUD_MANAGEMENT_KEY_SECRET: secret }
  }
})
const list = ["organizations", "list"]

describe("a command", () => {
  it.live("goes through the proxy that the environment names, unless it makes an exception", () =>
    Effect.gen(function* () {
      const { env, url } = yield* served
      const proxy = yield* ForwardProxy.make({ credentials: "user:sesame" })
      const variables = { ...env, HTTP_PROXY: proxy.url.replace("://", "://user:sesame@") }
      expect(yield* Child.run(list, variables)).toMatchObject({ code: 0 })
      expect(proxy.requests).toEqual([`GET ${url}/v1/organizations`])
      expect(yield* Invocation.run(list, { ...variables, no_proxy: "0.0.0.0" })).toMatchObject({ code: 0 })
      expect(proxy.requests).toHaveLength(1)
    })
  )

  it.live("names a proxy that does not do its part, and never its credentials", () =>
    Effect.gen(function* () {
      const { env, url } = yield* served
      const proxy = yield* ForwardProxy.make({ credentials: "user:other" })
      const variables = { ...env, http_proxy: proxy.url.replace("://", "://user:sesame@") }
      const { code, stderr, stdout } = yield* Invocation.run(list, variables)
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(
        `cannot connect to ${url}: ${proxy.url}: the proxy does not accept its credentials (407)\n       Check HTTPS_PROXY or`
      )
      expect(stderr).not.toContain("sesame")
      expect(proxy.requests).toHaveLength(1)
    })
  )

  it.live("is not run with a proxy that is no URL", () =>
    Effect.gen(function* () {
      const env = { CLOUD_MANAGEMENT_BASE_URL: "https://api.example.com", CLOUD_MANAGEMENT_KEY_ID: "a" }
      const variables = {
        ...env,
        CLOUD_MANAGEMENT_KEY_SECRET: "s",
        HTTPS_PROXY: "socks5://user:sesame@proxy.example"
      }
      const { code, stderr } = yield* Invocation.run(list, variables)
      expect(code).toBe(2)
      expect(stderr).toContain("HTTPS_PROXY must be an http or https URL")
      expect(stderr).not.toContain("sesame")
    })
  )
})
