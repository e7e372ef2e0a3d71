import { describe, expect, it } from "@effect/vitest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { operations } from "@cloud-management/core/Operations"
import * as HttpRequest from "@cloud-management/service/HttpRequest"
import * as Echo from "@cloud-management/testing/Echo"
import * as Cors from "../src/wire/cors.ts"

const origin = "https://app.example.com"
const request = HttpRequest.fromWeb(new Request("https://api.example.com/", { headers: { origin } }))

describe("a preflight allows", () => {
  it("the methods and the headers of operations of any kind", () => {
    expect(Cors.make([origin], Echo.operations).preflight.headers).toMatchObject({
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": expect.stringMatching(
        /^authorization, x-echo, if-match, content-type, idempotency-key\b/
      )
    })
  })
})

it("a page may read the link to the next page where an operation is paged by links", () => {
  const exposed = (cors: Cors.Cors) =>
    cors.expose(request, HttpServerResponse.empty()).headers["access-control-expose-headers"]
  expect(exposed(Cors.make([origin], operations))).not.toContain("link")
  expect(exposed(Cors.make([origin], Echo.operations))).toMatch(/,link$/)
})
