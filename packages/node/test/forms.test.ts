import { assert, Child, describe, expect, it } from "../../../checks/fixtures/index.ts"
import { Effect, Fiber } from "effect"
import { constTrue } from "effect/Function"
import { HttpBody, HttpClient } from "effect/http"
import { NodeFile, NodeTransport } from "@cloud-management/node"
import { chmod, truncate } from "node:fs/promises"
import { join } from "node:path"
import { record } from "../../../checks/fixtures/Listener.ts"

const test = it.effect.over(NodeTransport.layer)
const fileOf = (size: number, name = "a.bin") =>
  Effect.map(Child.folder({ [name]: "a".repeat(size) }), (folder) => join(folder, name))

describe("a form", () => {
  test("has the names, types and sizes of its files, and its length", function* () {
    const { seen, url } = yield* record
    const path = yield* fileOf(200_000, 'r"é\u00a0.csv')
    const form = new FormData()
    form.append("title", "June\nJuly")
    form.append("report", yield* NodeFile.open(path, { type: "text/csv" }))
    form.append("named", yield* NodeFile.open(path, { name: 'q"\r\nx-evil: 1' }))
    form.append("blob", new Blob(["blob"]))
    form.append("renamed", new Blob(["{}"], { type: "application/json" }), "c.json")
    yield* HttpClient.post(url, { body: HttpBody.formData(form) })
    const { body = Buffer.alloc(0), headers } = yield* seen
    expect([headers["content-length"], headers["transfer-encoding"]]).toEqual([String(body.length), undefined])
    expect(String(body)).not.toMatch(/^x-evil/m)
    const type = String(headers["content-type"])
    const received = yield* Effect.promise(() =>
      new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData()
    )
    const parts = [...received].map(([name, part]) =>
      typeof part === "string" ? [name, part] : [name, part.name, part.type, part.size]
    )
    expect(parts).toEqual([
      ["title", "June\r\nJuly"],
      ["report", 'r"é\u00a0.csv', "text/csv", 200_000],
      ["named", 'q"\r\nx-evil: 1', "application/octet-stream", 200_000],
      ["blob", "blob", "application/octet-stream", 4],
      ["renamed", "c.json", "application/json", 2]
    ])
  })

  test("whose file was changed after it was opened fails, and is not complete for the server", function* () {
    const { seen, url } = yield* record
    const path = yield* fileOf(1_000_000)
    const body = HttpBody.formDataRecord({ file: yield* NodeFile.open(path) })
    yield* Effect.promise(() => truncate(path, 10))
    const error = yield* Effect.flip(HttpClient.post(url, { body }))
    expect(String("cause" in error.reason && error.reason.cause)).toMatch(/blob could not be read/)
    expect((yield* seen).body).toBeUndefined()
  })

  test("whose call is interrupted is not complete for the server", function* () {
    const { arrived, seen, url } = yield* record
    const file = yield* NodeFile.open(yield* fileOf(20_000_000))
    const post = HttpClient.post(url, { body: HttpBody.formDataRecord({ file }) })
    const call = yield* Effect.forkChild(Effect.provideService(post, HttpClient.TracerDisabledWhen, constTrue))
    yield* arrived
    yield* Fiber.interrupt(call)
    expect((yield* seen).body).toBeUndefined()
  })

  const alien = (file: object) => ({
    *[Symbol.iterator]() {
      yield ["file", file]
    }
  })

  test("with a file that is not of Node, as that of jsdom, is sent as any other", function* () {
    const { seen, url } = yield* record
    const arrayBuffer = async () => new TextEncoder().encode("ü").buffer
    // @ts-expect-error as the FormData of jsdom
    const form: FormData = alien({ name: "a.csv", type: "text/csv", arrayBuffer })
    yield* HttpClient.post(url, { body: HttpBody.formData(form) })
    const { body = Buffer.alloc(0), headers } = yield* seen
    const type = String(headers["content-type"])
    const received = new Response(new Uint8Array(body), { headers: { "content-type": type } })
    const [[, file] = []] = yield* Effect.promise(() => received.formData())
    assert(file instanceof File)
    expect([file.name, file.type, yield* Effect.promise(() => file.text())]).toEqual(["a.csv", "text/csv", "ü"])
  })

  test("with a part that is no file is not sent", function* () {
    // @ts-expect-error as the FormData of another library
    const body = HttpBody.formData(alien({ size: 1 }))
    const error = yield* Effect.flip(HttpClient.post("http://127.0.0.1:9/", { body }))
    expect(error.reason._tag).toBe("EncodeError")
  })
})

describe("a file", () => {
  test.each<[given: string | undefined, sent: string]>([
    [undefined, "text/csv"],
    ["text/plain", "text/plain"]
  ])("is sent alone with its length and its type, unless another is given: %s", function* ([contentType, sent]) {
    const { seen, url } = yield* record
    const file = yield* NodeFile.open(yield* fileOf(200_000), { type: "text/csv" })
    yield* HttpClient.post(url, { body: HttpBody.raw(file, { contentType }) })
    const { body, headers } = yield* seen
    expect([headers["content-length"], headers["content-type"], body?.length]).toEqual(["200000", sent, 200_000])
  })

  it.effect("has the name of its path, and no type, unless others are given", function* () {
    const path = yield* fileOf(3)
    const [plain, other] = [yield* NodeFile.open(path), yield* NodeFile.open(path, { name: "b", type: "text/csv" })]
    expect([plain.name, plain.type, plain.size]).toEqual(["a.bin", "", 3])
    expect([other.name, other.type, other.size]).toEqual(["b", "text/csv", 3])
    expect(yield* Effect.promise(() => other.text())).toBe("aaa")
  })

  it.effect("that is missing or not a file is named by the error", function* () {
    const path = yield* Child.folder()
    const missing = join(path, "missing")
    const error = yield* Effect.flip(NodeFile.open(missing))
    expect(error).toMatchObject({ _tag: "FileNotReadable", path: missing, cause: { code: "ENOENT" } })
    expect(error.message).toContain(missing)
    expect((yield* Effect.flip(NodeFile.open(path))).message).toBe(`'${path}' is not a regular file`)
  })

  it.effect.runIf(process.getuid?.() !== 0)("that may not be read is named by the error", function* () {
    const path = yield* fileOf(3)
    yield* Effect.promise(() => chmod(path, 0))
    expect(yield* Effect.flip(NodeFile.open(path))).toMatchObject({ path, cause: { code: "EACCES" } })
  })
})
