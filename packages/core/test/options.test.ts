import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import { connect, success } from "./Stub.ts"

const secret = "s3cret-that-nobody-may-see"

const build = (options: { baseUrl?: string; keyId?: string; keySecret?: string }) =>
  Effect.gen(function* () {
    const { baseUrl = "https://api.example.com", keyId = "key-id", keySecret = secret } = options
    const connected = connect(() => Response.error(), { baseUrl, credentials: Credentials.make(keyId, keySecret) })
    return yield* Effect.flip(connected)
  })

describe("a client is refused, before anything is sent, for", () => {
  it.effect.each<[problem: string, options: Parameters<typeof build>[0], message: string]>([
    ["an empty base URL", { baseUrl: "" }, "baseUrl must be an absolute http or https URL"],
    ["a relative base URL", { baseUrl: "/v1" }, "baseUrl must be an absolute http or https URL"],
    ["a base URL without a scheme", { baseUrl: "api.example.com" }, "baseUrl must be an absolute http or https URL"],
    ["a base URL of another scheme", { baseUrl: "ftp://example.com" }, "baseUrl must be an absolute http or https URL"],
    ["a base URL that is script", { baseUrl: "javascript:1" }, "baseUrl must be an absolute http or https URL"],
    [
      "a user in the base URL",
      { baseUrl: `https://user@example.com` },
      "baseUrl must be an absolute http or https URL"
    ],
    [
      "credentials in the base URL",
      { baseUrl: `https://u:${secret}@example.com` },
      "baseUrl must be an absolute http or https URL"
    ],
    [
      "a query in the base URL",
      { baseUrl: `https://example.com?token=${secret}` },
      "baseUrl must be an absolute http or https URL"
    ],
    [
      "a fragment in the base URL",
      { baseUrl: `https://example.com#${secret}` },
      "baseUrl must be an absolute http or https URL"
    ],
    ["an empty key ID", { keyId: "" }, "keyId must be text without colons and control characters"],
    ["a colon in the key ID", { keyId: "a:b" }, "keyId must be text without colons and control characters"],
    ["a line break in the key ID", { keyId: "key-id\n" }, "keyId must be text without colons and control characters"],
    [
      "a lone surrogate in the key ID",
      { keyId: "key\ud800" },
      "keyId must be text without colons and control characters"
    ],
    ["an empty secret", { keySecret: "" }, "keySecret must be text without control characters"],
    ["a line break in the secret", { keySecret: `${secret}\n` }, "keySecret must be text without control characters"],
    ["a NUL in the secret", { keySecret: `${secret}\u0000` }, "keySecret must be text without control characters"],
    ["a DEL in the secret", { keySecret: `${secret}\u007f` }, "keySecret must be text without control characters"],
    [
      "a lone surrogate in the secret",
      { keySecret: `${secret}\udc00` },
      "keySecret must be text without control characters"
    ]
  ])("%s", ([, options, message]) =>
    Effect.gen(function* () {
      const error = yield* build(options)
      expect(error).toBeInstanceOf(Client.InvalidOption)
      expect(error.option).toBe(Object.keys(options)[0])
      expect(error.message).toContain(message)
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret)
    })
  )
})

const environment = {
  CLOUD_MANAGEMENT_BASE_URL: "https://api.example.com/cloud",
  CLOUD_MANAGEMENT_KEY_ID: "key-id",
  CLOUD_MANAGEMENT_KEY_SECRET: secret
}

const transport = Layer.sync(HttpClient.HttpClient, () =>
  HttpClient.make((request, url) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        url.href === "https://api.example.com/cloud/v1/organizations" &&
          request.headers["authorization"] === `Basic ${btoa(`key-id:${secret}`)}`
          ? Response.json(success["organizations.list"])
          : Response.json({}, { status: 400 })
      )
    )
  )
)

const fromEnvironment = (variables: Readonly<Record<string, string>>) =>
  Layer.build(
    CloudManagement.layerConfig().pipe(
      Layer.provide(transport),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables })))
    )
  )

describe("a client from the environment", () => {
  it.effect("5: takes the base URL, the key ID and the secret from three variables", () =>
    Effect.gen(function* () {
      const cloud = Context.get(yield* fromEnvironment(environment), CloudManagement.CloudManagement)
      expect(yield* cloud.organizations.list()).toHaveLength(1)
    })
  )

  it.effect.each(Object.keys(environment))("names the variable %s when it is missing or empty", (name) =>
    Effect.gen(function* () {
      const { [name]: _, ...rest } = { ...environment } as Readonly<Record<string, string>>
      for (const variables of [rest, { ...rest, [name]: "" }]) {
        const error = yield* Effect.flip(fromEnvironment(variables))
        // an empty secret is found by the client itself
        expect(error.message).toMatch(new RegExp(`${name}|^keySecret is empty$`))
        expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(secret)
      }
    })
  )

  it.effect("is refused for a bad value as one from options is", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(fromEnvironment({ ...environment, CLOUD_MANAGEMENT_KEY_ID: "a:b" }))
      expect(error).toMatchObject({ _tag: "InvalidOption", option: "keyId" })
    })
  )
})

describe("credentials", () => {
  it("keep a secret redacted, whether it is given plain or redacted", () => {
    const redacted = Redacted.make(secret)
    expect(Credentials.make("key-id", redacted).keySecret).toBe(redacted)
    expect(Redacted.value(Credentials.make("key-id", secret).keySecret)).toBe(secret)
    expect(JSON.stringify(Credentials.make("key-id", secret))).not.toContain(secret)
  })
})
