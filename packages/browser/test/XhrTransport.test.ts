import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as XhrTransport from "@cloud-management/browser/XhrTransport"

// where there is an XMLHttpRequest, the cases of checks/runtimes run in Chromium

it.effect("where there is no XMLHttpRequest, a call fails at once and says what to use", () =>
  Effect.gen(function* () {
    const cloud = yield* CloudManagement.make({
      baseUrl: "https://api.example.com",
      credentials: Credentials.make("key-id", "secret")
    })
    const error = yield* Effect.flip(cloud.organizations.list())
    expect(error.reason.message).toBe("this runtime has no XHR: use the fetch transport")
    expect([error.reason._tag, error.outcome, error.attempts]).toEqual(["TransportFailed", "not-sent", 1])
  }).pipe(Effect.provide(XhrTransport.layer))
)
