import { Child, describe, exits, expect, it, Listener } from "../../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { constructs } from "../../generator/test/constructs.ts"
import { body, having, make, object, ok, path, put, query, ref, text } from "../../generator/test/document.ts"
import * as Generated from "../../generator/test/Generated.ts"
import { shop } from "../../generator/test/shop.ts"
import { copies } from "../src/api/folder.ts"
import * as Screen from "./Screen.ts"
import * as Server from "./Server.ts"

/** A generated folder outside of any project, with files beside it. */
const generated = Effect.fnUntraced(function* (document: object, files: Readonly<Record<string, string>> = {}) {
  // as npm makes it, of which the folder is not part
  const project = { "package.json": `{"type":"commonjs"}` }
  const folder = yield* Child.folder({ secret: "the-secret-of-another\n", ...project, ...files })
  Generated.write(join(folder, "api"), Generated.of(document))
  return folder
})

/** The commands of that folder, against a server that replies as it is told to. */
const calling = Effect.fnUntraced(function* (
  document: object,
  reply: Parameters<typeof Listener.replying>[0],
  files?: Readonly<Record<string, string>>
) {
  const folder = yield* generated(document, files)
  const { received, url } = yield* Listener.replying(reply)
  const run = (...args: ReadonlyArray<string>) => Child.run(["--api", `${folder}/api`, "--base-url", url, ...args])
  return { folder, received, run, secret: ["--key-secret-file", `${folder}/secret`], url }
})

const json = (value: unknown, status = 200) => ({ status, body: JSON.stringify(value) })
const id = "0b0e8a3e-1f7c-4a53-9d0c-3a7d1c6f2b11"

const books = make({
  security: [{ token: [] }],
  operations: {
    "GET /books": {
      operationId: "listBooks",
      tags: ["Books"],
      summary: "List books",
      parameters: [query("cursor", text)],
      responses: ok(object({ books: { type: "array", items: ref("Book") }, next_cursor: text }, ["books"]))
    },
    "DELETE /books/{id}": {
      operationId: "deleteBook",
      tags: ["Books"],
      deprecated: true,
      parameters: [path("id")],
      responses: { "204": { description: "" }, "409": having(object({ message: text }, ["message"])) }
    },
    "POST /books": { operationId: "create", tags: ["Books"], requestBody: body(ref("Book")) },
    "PUT /files": {
      operationId: "putFile",
      tags: ["Files"],
      security: [],
      requestBody: { required: true, content: { "application/pdf": {} } },
      responses: { "200": { description: "", content: { "text/csv": { schema: text } } } }
    },
    "GET /o/{organizationId}": { operationId: "get", tags: ["apiKeys"], parameters: [path("organizationId")] }
  },
  schemas: { Book: object({ title: text, big: { type: "integer", format: "int64" } }, ["title"]) },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } }
})

const refused = { "422": having(object({ error: text, details: {}, status: { type: "integer" } }, ["error"])) }
const coupon = object({ lago_id: text, plans: { type: "array", items: {} }, limits: {} }, ["lago_id"])
const coupons = make({
  operations: {
    "GET /coupons": {
      operationId: "findAllUsed",
      tags: ["Coupons"],
      parameters: [query("status", text)],
      responses: ok(object({ coupons: { type: "array", items: ref("Coupon") }, meta: {} }, ["coupons"]))
    },
    "POST /coupons": {
      operationId: "applyCoupon",
      tags: ["Coupons"],
      requestBody: body(
        object({ note: text, count: { type: "integer" }, coupon: object({ coupon_code: text }, ["coupon_code"]) }, [
          "coupon"
        ])
      ),
      responses: { ...ok(object({ coupon: ref("Coupon") }, ["coupon"])), ...refused }
    }
  },
  schemas: { Coupon: coupon }
})

describe.concurrent("--api", () => {
  it.live("has the operations of a generated folder as commands, with help from its document", function* () {
    const api = `${yield* generated(books)}/api`
    const help = (...args: ReadonlyArray<string>) =>
      Effect.map(Child.run(args), ({ code, stderr, stdout }) => {
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        return stdout
      })
    const groups = yield* help("--api", api)
    expect(groups).toContain("Client for A document 1")
    expect(groups).toMatch(/SUBCOMMANDS\n +books +Books\n +files +Files\n +api-keys +API keys\n/)
    expect(groups).not.toMatch(/organizations|CLOUD_MANAGEMENT|profile/)
    const group = yield* help("books", `--api=${api}`, "--help")
    expect(group).toMatch(/list +List books\n/)
    expect(group).toMatch(/delete +books.delete \(deprecated\)\n/)
    const flags = ["--base-url", "http://127.0.0.1:1", "--timeout", "1s"]
    const operation = yield* help("--api", api, ...flags, "books", "list", "--help")
    expect(operation).toMatch(/^DESCRIPTION\n {2}List books\n/)
    expect(operation).toMatch(/--query name=value +Query parameter; can be repeated: cursor\n/)
    expect(yield* help("--api", api, "api-keys", "get", "--help")).toMatch(/ORGANIZATION_ID +ID of the organization\n/)
    // what a terminal would act on is not shown
    const number = path("n", { type: "integer" })
    const hostile = {
      "GET /a/{n}": { operationId: "get", tags: ["A"], summary: "S\u001b[31m\u202e", parameters: [number] }
    }
    const other = `${yield* generated(make({ operations: hostile }))}/api`
    expect(yield* help("--api", other, "a", "get", "--help")).toMatch(/^DESCRIPTION\n {2}S\ufffd\[31m\ufffd\n/)
    // the value of a variable that is not set is not 0
    expect(yield* Child.run(["--api", other, ...flags, "a", "get", ""])).toMatchObject(exits(2, 'argument <N>: ""'))
    // the same for commands of our own API
    expect(yield* help("--timeout", "1s", "keys", "delete", "--help")).toContain("Delete an API key")
    expect(yield* Child.run(["--api", api, "boks", "--help"])).toMatchObject(exits(2, "Did you mean books?"))
  })

  it.live("calls them with arguments, parameters, headers and content, and shows what comes", function* () {
    let reply: Listener.Reply = { status: 204 }
    const { folder, received, run, secret } = yield* calling(shop, () => reply, { "photo.png": "PNG" })
    const stream = { "content-type": "text/event-stream" }
    const itemText = `{"id":"i","serial":9007199254740993,"state":"new","added":{"later":true}}`
    const rows: ReadonlyArray<readonly [line: string, reply: Listener.Reply, request: object, stdout: string]> = [
      [
        `items list ${id} --query kind=a --query ids=1 --query ids=2 --query filter={"size":"x"}`,
        { status: 200, body: `{"items":[${itemText}]}` },
        { method: "GET", target: `/shops/${id}/items?kind=a&ids=1,2&filter%5Bsize%5D=x` },
        `{"items":[${itemText}]}\n`
      ],
      [
        `items create ${id} -f name=n -F price=2.5 --header X-Reason:why --header X-Other:o`,
        { status: 201, body: itemText },
        {
          method: "POST",
          body: `{"name":"n","price":2.5}`,
          headers: expect.objectContaining({ "x-reason": "why", "x-other": "o", "user-agent": "A-document/1" })
        },
        `{"id":"i","serial":9007199254740993,"state":"new"}\n`
      ],
      [
        `orders order -f item=x -F count=2 -F notes=["a","b"]`,
        { status: 200, body: "a\tb", headers: { "content-type": "text/plain" } },
        { body: "item=x&count=2&notes=a&notes=b" },
        `"a\\tb"\n`
      ],
      [
        `photos upload -F photo=@${folder}/photo.png -F place={"text":"t"}`,
        { status: 200, body: "PNG\u0000", headers: { "content-type": "image/png" } },
        { body: expect.stringMatching(/filename="photo.png"[^]*PNG[^]*application\/json\r\n\r\n\{"text":"t"\}/) },
        "PNG\u0000"
      ],
      [
        `reports put 2026/01 --data {"text":"t"}`,
        { status: 200, body: "b", headers: { "content-type": "application/octet-stream" } },
        {
          target: "/reports/2026%2F01",
          body: `{"text":"t"}`,
          headers: expect.objectContaining({ "content-type": "application/json;v=1" })
        },
        "b"
      ],
      [
        "events events",
        { status: 200, body: `data: ${itemText}\n\ndata: [DONE]\n\n`, headers: stream },
        { target: "/events" },
        `{"event":"message","data":{"id":"i","serial":9007199254740993,"state":"new"}}\n`
      ],
      [`items unlabel ${id} x`, { status: 204 }, { method: "DELETE", target: `/shops/${id}/items/x:label` }, "null\n"]
    ]
    for (const [line, sent, request, stdout] of rows) {
      reply = sent
      const yes = /list|events/.test(line) ? [] : ["--yes"]
      const ended = yield* run(...line.split(" "), ...secret, ...yes, "--format", "json")
      expect(ended).toEqual({ code: 0, stderr: "", stdout })
      expect(received.at(-1)).toMatchObject(request)
    }
    // whole, or cut between parts
    for (const states of [["the-secret-of-another"], ["the-sec", "ret-of-", "another"]]) {
      const echoes = states.map((state) => JSON.stringify({ id: "i", serial: 1, state }))
      const body = [itemText, ...echoes, itemText].map((data) => `data: ${data}\n\n`).join("")
      reply = { status: 200, body, headers: stream }
      const { code, stderr, stdout } = yield* run("events", "events", ...secret)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: "error: the rest is not shown: it contains the credentials\n"
      })
      expect(stdout.trimEnd().split("\n")).toHaveLength(states.length === 1 ? 1 : 2)
    }
  })

  it.live("shows results for people, and reads all pages", function* () {
    const { received, run } = yield* calling(books, ({ length }) => ({
      ...json({ books: [{ title: `t${length}`, big: 1 }], next_cursor: length === 1 ? "c" : null }),
      headers: { "x-request-id": "r" }
    }))
    const list = (...args: ReadonlyArray<string>) => run("books", "list", ...args)
    expect((yield* list("--paginate")).stdout).toBe("Title  t1\nBig    1\n\nTitle  t2\nBig    1\n")
    expect(received.map(({ target }) => target)).toEqual(["/books", "/books?cursor=c"])
    expect((yield* list()).stdout).toBe("Title  t3\nBig    1\n\nRequest ID  r\n")
    // an argument that does not fit is not sent
    expect(yield* list("--completion", "bash")).toMatchObject(exits(2, "Unrecognized flag: --completion"))
    expect(yield* list("--query", "page=1")).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: --query: Expected no excess property at ["page"]\n`
    })
    expect(received).toHaveLength(3)
  })

  it.live("sends neither variables nor a profile of our service, only what flags name", function* () {
    const { folder, received, run, secret: file, url } = yield* calling(books, () => json({ books: [] }))
    const profile = { baseUrl: url, keyId: "profile-id", keySecret: "secret-of-a-profile" }
    mkdirSync(`${folder}/cloud-management`)
    writeFileSync(`${folder}/cloud-management/profiles.json`, JSON.stringify({ profiles: { default: profile } }), {
      mode: 0o600
    })
    const env = { ...Server.client(url), CLOUD_MANAGEMENT_PROFILE: "default", XDG_CONFIG_HOME: folder }
    const list = (...args: ReadonlyArray<string>) =>
      Child.run(["--api", `${folder}/api`, "books", "list", ...args], env, "secret-from-stdin\n")
    // the profile is one that our own commands would use
    expect(yield* Child.run(["request", "GET", "/books"], { XDG_CONFIG_HOME: folder })).toMatchObject({ code: 0 })
    expect(received.pop()?.headers.authorization).toMatch(/^Basic /)
    expect(yield* list()).toMatchObject({ code: 2, stderr: "error: the base URL is missing: pass --base-url URL\n" })
    expect(received).toEqual([])
    const to = ["--base-url", url]
    for (const [sent, ...flags] of [
      ["/books"],
      ["Bearer the-secret-of-another", ...file],
      ["Bearer secret-from-stdin", "--key-secret-file", "-"],
      [`Basic ${btoa("i:the-secret-of-another")}`, "--key-id", "i", ...file],
      ["the-secret-of-another", "--key-header", "X-Key", ...file],
      ["/books?api_key=the-secret-of-another", "--key-query", "api_key", ...file],
      ["session=the-secret-of-another", "--key-cookie", "session", ...file]
    ]) {
      expect(yield* list(...to, ...flags)).toMatchObject({ code: 0, stderr: "" })
      const { headers, target } = received.pop() ?? expect.unreachable()
      expect(headers.authorization ?? headers["x-key"] ?? headers.cookie ?? target).toBe(sent)
    }
    for (const flags of [
      ["--key-id", "i"],
      ["--key-id", "i", "--key-header", "x-key", ...file],
      ["--key-query", "a", "--key-cookie", "b", ...file],
      ["--key-cookie", "b"],
      ["--key-header", "host", ...file],
      ["--profile", "default"]
    ]) {
      expect(yield* list(...to, ...flags)).toMatchObject({ code: 2 })
    }
    expect(yield* list("--base-url", "h/v1")).toMatchObject({ code: 2, stderr: expect.not.stringContaining("only") })
    expect(received).toEqual([])
    // an operation without security gets none
    const put = ["files", "put", "--input", `${folder}/secret`, "--yes", ...file]
    expect(yield* run(...put)).toMatchObject({ code: 0 })
    expect(received.pop()).toMatchObject({
      headers: expect.not.objectContaining({ authorization: expect.anything() }),
      body: "the-secret-of-another\n"
    })
  })

  it.live("asks before a change, and reports what an API refuses as the other commands do", function* () {
    let replies: ReadonlyArray<Listener.Reply> = []
    const { received, run } = yield* calling(books, ({ length }) => replies[length - 1] ?? replies[0])
    const remove = (...args: ReadonlyArray<string>) => run("books", "delete", "b", "--format", "json", ...args)
    expect(yield* remove()).toMatchObject(exits(2, "cannot be confirmed"))
    expect(yield* run("books", "create", "--yes")).toMatchObject({
      code: 2,
      stderr: "error: the operation needs content: pass --data, --input or fields\n"
    })
    expect(received).toEqual([])
    const refusal = (error: object) => ({
      documents: expect.arrayContaining([{ error: expect.objectContaining(error) }])
    })
    const advice = (text: string) => refusal({ advice: expect.stringContaining(text) })
    // on a busy machine a turn can be waited for, which is said too
    const events = ["AttemptEnded", "Retrying", "AttemptEnded", "Succeeded"]
    const rows: ReadonlyArray<readonly [code: number, sent: number, said: object, ...all: typeof replies]> = [
      [6, 1, refusal({ tag: "Conflict", status: 409, message: "it is lent" }), json({ message: "it is lent" }, 409)],
      // no operation declares these
      [4, 1, advice("--key-header"), json({ error: "no" }, 401)],
      [4, 1, refusal({ advice: null }), json({ error: "no" }, 403)],
      [5, 1, advice("Requested: DELETE"), json({ error: "no" }, 404)],
      [0, 2, { events }, json({}, 503), { status: 204 }],
      [7, 3, advice("may have been deleted anyway"), json({}, 503)]
    ]
    for (const [code, sent, said, ...all] of rows) {
      received.length = 0
      replies = all
      const ended = yield* remove("--yes", "--verbose")
      const [deprecated, ...documents] = Child.documents(ended.stderr)
      expect(deprecated).toMatchObject({ warning: { tag: "Deprecated" } })
      expect(ended.stderr).not.toMatch(/CLOUD_MANAGEMENT|profile|login|organization/)
      const events = documents.flatMap(({ event }) => event?.tag ?? []).filter((tag) => tag !== "Paced")
      expect({ code: ended.code, sent: received.length, documents, events }).toMatchObject({ code, sent, ...said })
    }
  })

  it.live("shows an API of envelopes by names, its IDs and what it refuses, and how an object is given", function* () {
    let reply: Listener.Reply = json({})
    const headers = { "x-request-id": "r" }
    const { received, secret, ...calls } = yield* calling(coupons, () => ({ ...reply, headers }))
    const run = (sent: Listener.Reply, ...args: ReadonlyArray<string>) => {
      reply = sent
      return calls.run(...secret, "coupons", ...args)
    }
    const find = (sent: unknown, ...args: ReadonlyArray<string>) => run(json(sent), "find-all-used", ...args)
    const field = ["-F", `coupon={"coupon_code":"c"}`, "--yes"]
    const apply = (sent: Listener.Reply, ...args: ReadonlyArray<string>) => run(sent, "apply", ...args)
    const one = { lago_id: "c-1", plans: [], limits: { perUser: { mostUses: 2 } } }
    const two = { lago_id: "c-2", plans: [{ code: "p" }, { code: "q" }] }
    const meta = { current_page: 1, total_pages: 4 }
    expect(yield* find({ coupons: [one, two], meta })).toEqual({
      code: 0,
      stderr: "",
      stdout: [
        "Lago ID                    c-1\nLimits per user most uses  2",
        "Lago ID       c-2\nPlans 1 code  p\nPlans 2 code  q",
        "Meta current page  1\nMeta total pages   4\nRequest ID         r\n"
      ].join("\n\n")
    })
    expect((yield* apply(json({ coupon: one }), ...field)).stdout).toMatch(/^Lago ID {2,}c-1\nLimits per user/)
    // nothing beside them
    expect((yield* find({ coupons: [] })).stdout).toBe("Request ID  r\n")
    expect((yield* find({ coupons: [], meta }, "--format", "json")).stdout).toBe(
      `${JSON.stringify({ coupons: [], meta })}\n`
    )

    const ids = ["--format", "ids"]
    expect(yield* find({ coupons: [one, two] }, ...ids)).toEqual({ code: 0, stderr: "", stdout: "c-1\nc-2\n" })
    expect(yield* find({ coupons: [] }, ...ids)).toEqual({ code: 0, stderr: "", stdout: "" })

    const details = { code: ["is \u001b[31m missing"] }
    const refusal = json({ error: "Unprocessable entity", details, status: 422 }, 422)
    const said = yield* apply(refusal, ...field)
    expect(said).toMatchObject({ code: 6, stdout: "" })
    expect(said.stderr).toContain(
      String.raw`Body: {"error":"Unprocessable entity","details":{"code":["is \u001b[31m missing"]},"status":422}`
    )
    expect(said.stderr).toContain("Correct the request as the message and the body say")
    const asJson = (stderr: string) => Child.documents(stderr)[0].error
    expect(asJson((yield* apply(refusal, ...field, "--format", "json")).stderr)).toMatchObject({ body: { details } })
    // no body says no more than the message
    const short = yield* apply(json({ error: "no", status: 422 }, 422), ...field)
    expect(short.stderr).not.toContain("Body")
    expect(short.stderr).toContain("as the message says")
    for (const details of [{ sent: "the-secret-of-another" }, { "the-secret-of-another": 1 }]) {
      const { stderr } = yield* apply(json({ error: "no", details }, 422), ...field, "--format", "json")
      expect(asJson(stderr)).toMatchObject({ message: "no", body: "(withheld: it repeats the credentials)" })
    }
    const long = yield* apply(json({ error: "no", details: "a".repeat(2 ** 20) }, 422), ...field, "--format", "json")
    expect(long.stderr.length).toBeLessThan(8192)
    expect(asJson(long.stderr).body).toMatch(/^\{"error":"no","details":"a+ … \([\d,]+ more characters\)$/)

    received.length = 0
    const hint = `An object is JSON: -F 'coupon={"coupon_code":…}'`
    for (const given of ["coupon.coupon_code=c", "coupon[coupon_code]=c"])
      expect(yield* apply(json({}), "-f", given, "--yes")).toMatchObject(exits(2, hint))
    expect((yield* apply(json({}), "-f", "other=c", "--yes")).stderr).not.toContain("An object")
    const help = (yield* run(json({}), "apply", "--help")).stdout.replace(/\s+/g, " ")
    expect(help).toMatch(/Text in the content[^:]*: note -/)
    expect(help).toMatch(/Value of JSON[^:]*: count, coupon /)
    expect(help).toContain("coupons apply --input content.json --yes")
    const misspelt = yield* run(json({}), "findAllUsed", "--query", "status=a")
    expect(misspelt.stderr).toMatch(/^error: Unknown subcommand "findAllUsed" [^\n]*\n +Did you mean find-all-used\?\n/)
    expect(received).toEqual([])
  })

  it.live("has an error for --format ids where nothing says which field is the ID", function* () {
    const things = { type: "array", items: {} }
    const document = make({ operations: { "GET /t": { operationId: "list", tags: ["T"], responses: ok(things) } } })
    let sent: unknown
    const calls = yield* calling(document, () => json(sent))
    const run = (value: unknown) => {
      sent = value
      return calls.run("t", "list", "--format", "ids")
    }
    expect(yield* run([{ id: 1, other_id: 2 }, { id: 3 }])).toEqual({ code: 0, stderr: "", stdout: "1\n3\n" })
    expect(yield* run([{ otherId: 2, paid: true }])).toEqual({ code: 0, stderr: "", stdout: "2\n" })
    const none = yield* run([{ name: "n", valid: true }])
    expect(none).toMatchObject({ code: 2, stdout: "" })
    expect(none.stderr).toMatch(/^error: --format ids: the result has no field id\n/)
    expect((yield* run([{ a_id: 1 }, { b_id: 2 }])).stderr).toContain("field id, but a_id, b_id\n")
  })

  it.live("says in a sentence why a folder cannot be used", function* () {
    const folder = yield* generated(books)
    const none = "export const operations"
    const old = `import * as Body from "@cloud-management/client/Body"\n${none} = { a: { b: Body.gone() } }`
    const others = ["1", "{}", "{ a: 1 }", "{ a: { b: 1 } }", "{ a: { b: { path: 1, success: {} } } }"]
    const rows: ReadonlyArray<readonly [index: string | undefined, problem: string]> = [
      [undefined, "there is no index.ts or index.js"],
      ['throw new Error("oh")', "it cannot be loaded: oh"],
      // as of a module that waits for a server
      [`await new Promise(() => {})\n${none} = {}`, "it cannot be loaded: it is not done after 10s"],
      [`${none} = {{`, "it cannot be loaded: [^]+"],
      [`import { Effect } from "effect"\n${none} = { a: {} }`, "it cannot be loaded: it imports effect"],
      [old, "it cannot be loaded: Body.gone is not a function"],
      ...others.map((other) => [`${none} = ${other}`, "its index exports no operations"] as const)
    ]
    for (const [index, problem] of rows) {
      const folder = yield* Child.folder(index === undefined ? {} : { "index.ts": index })
      const ended = yield* Child.run(["--api", folder, "books", "list", "--base-url", "http://127.0.0.1:1"])
      const advice = "Pass a folder that `cloud-management-generate` of version [\\d.]+ has written."
      expect(ended).toMatchObject(exits(2, new RegExp(`^error: --api ${folder}: ${problem}\n {7}${advice}\n$`)))
    }
    // as of a variable that is not set, where the current folder has code
    const { end } = yield* Child.shell(`cd ${folder}/api && "$@"`, ["--api", "", "books", "list"])
    expect(yield* end).toMatchObject(exits(2, "--api : there is no index.ts"))
  })
})

Screen.suite(() =>
  it.live("--api at a terminal asks before a change, and for no bytes", function* () {
    const { folder, received, url } = yield* calling(shop, () => ({ status: 204 }))
    const screen = yield* Screen.open({ columns: 100 })
    const api = `cloud-management --api ${folder}/api --base-url ${url}`
    yield* screen.enter(`${api} items unlabel ${id} x`)
    yield* screen.until(new RegExp(`Send DELETE /shops/${id}/items/x:label\\? \\[y/N\\]`))
    expect(received).toEqual([])
    yield* screen.enter("y")
    yield* screen.until(/^Deleted {2}x$/m)
    yield* screen.enter(`${api} reports put x -f text=t --yes`)
    yield* screen.until(/the result is bytes, which a terminal cannot show/)
    expect(received).toHaveLength(1)
  })
)

it("lends of each module what generated code takes, and no more of those that every command loads", async () => {
  const checks = put("checks", {
    ...object({
      above: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 8, multipleOf: 2 },
      most: { type: "number", maximum: 3 },
      few: { type: "array", items: text, maxItems: 2 },
      none: { type: "object", additionalProperties: false }
    })
  })
  const paged = ["Offset", "PageNumber"].map((_tag) => ({
    [`GET /${_tag}`]: {
      operationId: _tag,
      parameters: [query("n", { type: "integer" })],
      responses: ok(object({ items: { type: "array", items: text } }, ["items"])),
      "x-pagination": { _tag, query: "n", items: "items" }
    }
  }))
  const operations = Object.assign({}, checks, ...paged)
  const ours: object = JSON.parse(readFileSync("docs/openapi.json", "utf8"))
  const documents = [ours, shop, books, make({ operations }), ...Object.values(constructs).map(make)]
  const code = documents.flatMap((document) => [...Generated.of(document).files.values()]).join("\n")
  const imported = new Set(
    Array.from(code.matchAll(/^import \* as \w+ from "([^."\n]+)"$/gm), ([, specifier]) => specifier)
  )
  expect(imported).toEqual(new Set(Object.keys(copies)))
  for (const [specifier, copy] of Object.entries(copies)) {
    const module: object = await import(specifier)
    const name = specifier.slice(specifier.lastIndexOf("/") + 1)
    const used = new Set(Array.from(code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g")), ([, member = ""]) => member))
    const values = Object.keys(module).filter((member) => used.has(member))
    const own = Object.keys(copy)
    // the others are whole
    const isPicked = own.length < Object.keys(module).length
    expect(new Set(isPicked ? own : own.filter((member) => used.has(member)))).toEqual(new Set(values))
  }
})
