import { Child, describe, exits, expect, it, Listener } from "../../../checks/fixtures/index.ts"
import { Effect, Schema } from "effect"
import * as Foreign from "../src/output/foreign.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const request = (url: string, args: ReadonlyArray<string>) => Invocation.run(["request", ...args], Server.client(url))
const ok = (body: unknown) => ({ status: 200, body: JSON.stringify(body) })

describe.concurrent("request", () => {
  it.live("sends a method and a path with its query, signed, and prints the whole response", function* () {
    const { received, url } = yield* Listener.replying(() => ok({ result: [1] }))
    const args = ["get", "v1/a%20b/c", "--query", "n=1", "--query", "n=a b", "--query", "m=x=y"]
    expect(yield* request(url, args)).toEqual({ code: 0, stdout: '{\n  "result": [\n    1\n  ]\n}\n', stderr: "" })
    expect(received).toMatchObject([{ method: "GET", target: "/v1/a%20b/c?n=1&n=a+b&m=x%3Dy", body: "" }])
    expect(received[0]?.headers.authorization).toMatch(/^Basic /)
    expect((yield* request(url, [...args, "--format", "json"])).stdout).toBe('{"result":[1]}\n')
  })

  it.live("takes a query from its path and headers of one's own, and shows the head of the response", function* () {
    const { received, url } = yield* Listener.replying(() => ({ ...ok(1), headers: { "x-rest": "2" } }))
    const args = ["GET", "/v1/x?n=1&n=b%20c", "--query", "m=2", "--header", "X-Tenant: acme", "-i"]
    const { code, stdout } = yield* request(url, args)
    expect(stdout).toMatch(/^HTTP 200\n(?:.+: .*\n)*x-rest: 2\n(?:.+: .*\n)*\n1\n$/)
    expect(code).toBe(0)
    expect(received).toMatchObject([{ target: "/v1/x?n=1&n=b+c&m=2", headers: { "x-tenant": "acme" } }])
    const json = yield* request(url, [...args, "--format", "json"])
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 200, headers: { "x-rest": "2" }, body: 1 })
    for (const header of ["authorization: Basic hidden", "x", "a b: c", "host: other"]) {
      const refused = yield* request(url, ["GET", "/v1/x", "--header", header])
      expect(refused).toMatchObject({ code: 2, stdout: "" })
      // a header can be a secret
      expect(refused.stderr).not.toContain("hidden")
    }
    yield* request(url, ["GET", "/v1/x?constructor=1&__proto__=2", "--query", "toString=3"])
    expect(received.pop()?.target).toBe("/v1/x?constructor=1&__proto__=2&toString=3")
    const twice = ["--header", "x-a: 1", "--header", "X-A: 2"]
    expect(yield* request(url, ["GET", "/v1/x", ...twice])).toMatchObject({ code: 2, stdout: "" })
    expect(received).toHaveLength(2)
  })

  it.live("takes content from a text, a file, stdin and fields, which are a query for GET, as gh does", function* () {
    const folder = yield* Child.folder({ "data.json": `{"name":"file"}`, "text.md": "# é\n" })
    const { received, url } = yield* Listener.replying(() => ({ status: 204 }))
    const fields = ["-f", "n=1", "-F", "m=1", "-F", "l=[true]", "-F", `t=@${folder}/text.md`, "-F", "o=x y"]
    const object = JSON.stringify({ n: "1", m: 1, l: [true], t: "# é\n", o: "x y" })
    for (const [target, body, method, ...args] of [
      ["/v1/x", `{"name":"text"}`, "POST", "--data", `{"name":"text"}`],
      ["/v1/x", `{"name":"file"}`, "POST", "--data", `@${folder}/data.json`],
      ["/v1/x", object, "POST", ...fields],
      ["/v1/x?n=1&m=true", "", "GET", "-f", "n=1", "-F", "m=true"],
      ["/v1/x", `{"a":1}`, "POST", "--input", "-"]
    ] as const) {
      const ended = yield* Child.run(["request", method, "/v1/x", ...args, "--yes"], Server.client(url), `{"a":1}`)
      expect(ended).toEqual({ code: 0, stdout: "", stderr: "" })
      const { headers, ...sent } = received.pop() ?? expect.unreachable()
      expect(sent).toEqual({ method, target, body })
      expect(headers["content-type"]).toBe(body === "" ? undefined : "application/json")
    }
    for (const more of [
      ["--data", "{}"],
      ["--input", "-"],
      ["-F", "n=2"]
    ]) {
      expect(yield* request(url, ["POST", "/v1/x", "-f", "n=1", ...more, "--yes"])).toMatchObject({ code: 2 })
    }
  })

  it.live("follows the links of pages below the base URL, and prints them together", function* () {
    const { received, url } = yield* Listener.replying((received) => {
      const n = received.length
      const next = n === 3 ? "https://elsewhere.example.com/v1/x" : `/v1/x?page=${n + 1}`
      return { ...ok([n]), headers: { link: `</v1/x>; rel="first", <${next}>; rel="next"` } }
    })
    const args = ["GET", "/v1/x?page=1", "--paginate", "--format", "json"]
    expect(yield* request(url, args)).toMatchObject(exits(2, "https://elsewhere.example.com"))
    expect(received.map(({ target }) => target)).toEqual(["/v1/x?page=1", "/v1/x?page=2", "/v1/x?page=3"])
    const pages = yield* Listener.replying(({ length }) => ({
      ...ok([length]),
      headers: length < 3 ? { link: `<${"/v1/x"}?page=${length + 1}>; rel=next` } : {}
    }))
    expect((yield* request(pages.url, args)).stdout).toBe("[1,2,3]\n")
    const loop = yield* Listener.replying(() => ({ ...ok([]), headers: { link: "</v1/x>; rel=next" } }))
    expect((yield* request(loop.url, args)).stderr).toContain("links to the page /v1/x twice")
    expect(loop.received).toHaveLength(2)
    // what changes something is never sent again for a link
    const before = loop.received.length
    const change = ["POST", "/v1/x", "--paginate", "--yes"]
    expect(yield* request(loop.url, change)).toMatchObject({ code: 2, stdout: "" })
    expect(loop.received).toHaveLength(before)
  })

  it.live("resolves links at the request, and sends their query as its own", function* () {
    for (const [base, target, code, ...targets] of [
      ["", "/v1/x?fields=a,b&page=2", 0, "/v1/x?fields=a%2Cb&page=2"],
      ["", "y/z", 0, "/v1/y/z"],
      ["/api", "?page=2", 0, "/api/v1/x?page=2"],
      ["/api", "/api/v1/y", 0, "/api/v1/y"],
      ["/api", "/other/v1/x", 2]
    ] as const) {
      const { received, url } = yield* Listener.replying(({ length }) => ({
        ...ok([length]),
        headers: length === 1 ? { link: `<${target}>; rel=next` } : {}
      }))
      expect(yield* request(`${url}${base}`, ["GET", "/v1/x", "--paginate"])).toMatchObject({ code })
      expect(received.slice(1).map(({ target }) => target)).toEqual(targets)
    }
  })

  it.effect.prop(
    "of JSON only the white space changes",
    { value: Schema.Json, indent: Schema.Literals([0, 2]) },
    ({ indent, value }) =>
      Effect.sync(() => {
        const expected = JSON.stringify(value, undefined, indent)
        expect(Foreign.respaced(JSON.stringify(value, undefined, 1), indent)).toBe(Foreign.escaped(expected))
      })
  )

  it("numbers of JSON stay as they are, and a depth does no harm", () => {
    expect(Foreign.respaced(' {"n": 12345678901234567890, "f":1.0,"e" :[1e400,-0, "\\u0041" ]}\n')).toBe(
      '{"n":12345678901234567890,"f":1.0,"e":[1e400,-0,"\\u0041"]}'
    )
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    for (const json of [deep, `[[[[[[[[[${"1,".repeat(500_000)}1]]]]]]]]]`]) {
      const shown = Foreign.respaced(json, 2)
      expect(shown.length).toBeLessThan(1_100_000)
      expect(shown).toMatch(/\n… \([\d,]+ more characters: pass --format json to see all\)$/)
    }
    expect(Foreign.respaced(deep)).toBe(deep)
    const long = JSON.stringify({ file: `\\"${"a".repeat(9e6)}` })
    expect(Foreign.respaced(long) === long).toBe(true)
  })

  it.live("prints one JSON document also for a response without content", function* () {
    const { url } = yield* Listener.replying(() => ({ status: 204 }))
    expect((yield* request(url, ["GET", "/v1/x", "--format", "json"])).stdout).toBe("null\n")
    expect((yield* request(url, ["GET", "/v1/x"])).stdout).toBe("")
  })
})
