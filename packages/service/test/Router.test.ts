import { describe, expect, it } from "@effect/vitest"
import * as Router from "../src/frame/wire/router.ts"

const match = Router.make([
  { method: "GET", path: "/v1/organizations", handler: "list" },
  { method: "DELETE", path: "/v1/organizations/:organizationId/keys/:keyId", handler: "delete" },
  { method: "GET", path: "/v1/things/:id", handler: "read" },
  { method: "DELETE", path: "/v1/things/:id", handler: "remove" },
  { method: "GET", path: "/v1/things/search", handler: "search" },
  { method: "GET", path: "/v1/parts/search", handler: "search" },
  { method: "GET", path: "/v1/parts/:id", handler: "read" },
  { method: "GET", path: "/v1/files/:name.json", handler: "file" },
  { method: "GET", path: "/openapi.json", handler: "document" }
])

describe("the router", () => {
  it.each<[method: string, path: string, handler: string, params: Record<string, string>]>([
    ["GET", "/v1/organizations", "list", {}],
    ["HEAD", "/v1/organizations", "list", {}],
    ["DELETE", "/v1/organizations/a/keys/b", "delete", { organizationId: "a", keyId: "b" }],
    ["GET", "/v1/things/a", "read", { id: "a" }],
    ["GET", "/v1/things/search", "search", {}],
    ["GET", "/v1/things/searched", "read", { id: "searched" }],
    ["GET", "/v1/parts/search", "search", {}],
    ["GET", "/openapi.json", "document", {}],
    ["GET", "/v1/%6Frganiz%61tion%73", "list", {}],
    ["GET", "/openapi%2ejson", "document", {}],
    ["GET", "/v1/files/a.b%2ejson", "file", { name: "a.b" }],
    ["GET", "/v1/things/a%20b", "read", { id: "a b" }],
    ["GET", "/v1/things/a%2Fb", "read", { id: "a/b" }],
    ["GET", "/v1/things/%2e%2e", "read", { id: ".." }],
    ["GET", "/v1/things/%E2%9C%93", "read", { id: "✓" }]
  ])("finds %s %s", (method, path, handler, params) => {
    expect(match(method, path)).toEqual({ _tag: "Found", route: expect.objectContaining({ handler }), params })
  })

  it.each(["%", "%zz", "%E2%9C", "%ff", "a%", "%c0%ae"])("leaves the malformed escape %s as it is", (segment) => {
    expect(match("GET", `/v1/things/${segment}`)).toEqual({
      _tag: "Found",
      route: expect.objectContaining({ handler: "read" }),
      params: { id: segment }
    })
  })

  it.each([
    "/",
    "",
    "/v1/organizations/",
    "//v1/organizations",
    "/V1/organizations",
    "/v1/organizations/x",
    "/v1/organizations%2Fx",
    "/v1%2Forganizations",
    "/v1/%2536%66rganizations",
    "/v1/%%36Frganizations",
    "/v1/%4Frganizations",
    "/v1/things/",
    "/v1/things/a/b",
    "/v1/organizations//keys/b",
    "/openapiXjson",
    "/v1/organizations\n",
    "/x/v1/organizations"
  ])("does not find %j, by any method", (path) => {
    for (const method of ["GET", "HEAD", "DELETE", "POST"]) expect(match(method, path)).toEqual({ _tag: "NotFound" })
  })

  it("refuses two routes that no path tells apart", () => {
    const twice = ["/v1/things/:id", "/v1/things/:name"].map((path) => ({ method: "GET", path }) as const)
    expect(() => Router.make(twice)).toThrow("GET /v1/things/:name: another route has this method and path")
  })

  it.each<[method: string, path: string, allow: string]>([
    ["POST", "/v1/organizations", "GET, HEAD"],
    ["OPTIONS", "/v1/organizations", "GET, HEAD"],
    ["get", "/v1/organizations", "GET, HEAD"],
    ["GET", "/v1/organizations/a/keys/b", "DELETE"],
    ["HEAD", "/v1/organizations/a/keys/b", "DELETE"],
    ["PUT", "/v1/things/a", "GET, HEAD, DELETE"]
  ])("allows, instead of %s %s, %s", (method, path, allow) => {
    expect(match(method, path)).toEqual({ _tag: "MethodNotAllowed", allow })
  })
})
