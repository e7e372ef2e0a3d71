import { Effect, Schema } from "effect"
import { Body, Client, Credentials, Operation } from "@cloud-management/client"
import { afterEach, beforeEach, describe, expect, it, vi } from "../../../checks/fixtures/vitest.ts"
import { Client as PromiseClient } from "../../promise/src/node.ts"
import * as Mock from "../src/Mock.ts"

const { Blob, File } = globalThis

/** Classes as a page of jsdom has them: neither those of Node.js know them, nor they those of Node.js. */
class PageBlob {
  readonly #blob: globalThis.Blob
  constructor(parts: ReadonlyArray<string | Uint8Array<ArrayBuffer> | PageBlob>, options: BlobPropertyBag = {}) {
    this.#blob = new Blob(
      parts.map((part) => (part instanceof PageBlob ? part.#blob : part)),
      options
    )
  }
  get [Symbol.toStringTag]() {
    return "Blob"
  }
  get size() {
    return this.#blob.size
  }
  get type() {
    return this.#blob.type
  }
  arrayBuffer() {
    return this.#blob.arrayBuffer()
  }
}
class PageFile extends PageBlob {
  readonly name: string
  constructor(parts: ConstructorParameters<typeof PageBlob>[0], name: string, options?: BlobPropertyBag) {
    super(parts, options)
    this.name = name
  }
  override get [Symbol.toStringTag]() {
    return "File"
  }
}
class PageForm {
  readonly #fields: Array<readonly [name: string, value: string | PageFile]> = []
  append(name: string, value: unknown) {
    const isFile = value instanceof PageFile
    const file = value instanceof PageBlob && !isFile ? new PageFile([value], "blob", { type: value.type }) : undefined
    this.#fields.push([name, file ?? (isFile ? value : String(value))])
  }
  get(name: string) {
    return this.#fields.find(([own]) => own === name)?.[1] ?? null
  }
  [Symbol.iterator]() {
    return this.#fields[Symbol.iterator]()
  }
  get [Symbol.toStringTag]() {
    return "FormData"
  }
}

const multipart = Schema.Struct({ note: Schema.String, file: Body.File })
const operation = <Payload extends Body.Payload>(name: string, payload: Payload) =>
  Operation.make({ group: "assets", name, method: "POST", path: `/${name}`, payload, success: Body.empty, errors: [] })
const plain = operation("plain", Body.multipart(multipart))
const typed = operation("typed", Body.multipart(multipart, Body.partTypes({ note: "text/plain" })))
const operations = { assets: { plain, typed } }
const makeMock = () => Mock.make(operations)
const options = { baseUrl: "http://mock", credentials: Credentials.none }

describe("a page whose classes are not those of Node.js, as in jsdom", () => {
  beforeEach(() => {
    vi.stubGlobal("Blob", PageBlob)
    vi.stubGlobal("File", PageFile)
    vi.stubGlobal("FormData", PageForm)
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 jsdom" })
  })
  afterEach(() => vi.unstubAllGlobals())

  const payload = () => ({ note: "ü\r\n", file: new globalThis.File(["hellö"], 'a "b".txt', { type: "text/plain" }) })
  const sent = async (file: globalThis.Blob) => ({
    name: Object(file).name,
    type: file.type,
    text: new TextDecoder().decode(await file.arrayBuffer())
  })
  const expected = { name: 'a "b".txt', type: "text/plain", text: "hellö" }

  const input = (mock: ReturnType<typeof makeMock>, name: "plain" | "typed" = "plain") =>
    sent(mock.inputs(operations.assets[name])[0]?.payload.file ?? new globalThis.Blob())

  it.each(["plain", "typed"] as const)("uploads to a mock with promises, and with Effect: %s", async (name) => {
    const mock = makeMock()
    await using client = new PromiseClient({ operations, ...options, fetch: mock.fetch })
    await client.assets[name]({ payload: payload() })
    expect(mock.inputs(operations.assets[name])[0]?.payload.note).toBe("ü\r\n")
    expect(await input(mock, name)).toEqual(expected)
    mock.reset()
    const upload = Effect.flatMap(Client.make(operations, options), ({ assets }) =>
      assets[name]({ payload: payload() })
    )
    await Effect.runPromise(Effect.provide(upload, mock.layer))
    expect(await input(mock, name)).toEqual(expected)
  })

  it("uploads a form of its own by the fetch of a mock", async () => {
    const mock = Mock.make(operations)
    const { file, note } = payload()
    const form = new globalThis.FormData()
    form.append("note", note)
    form.append("file", file)
    expect(await mock.fetch("http://mock/plain", { method: "POST", body: form })).toMatchObject({ status: 204 })
    expect(await input(mock)).toEqual(expected)
  })

  it("is told of a file of Node.js that its form does not take it", async () => {
    const { fetch } = Mock.make(operations)
    await using client = new PromiseClient({ operations, ...options, fetch })
    const file = new File(["a"], "a.txt")
    await expect(client.assets.plain({ payload: { note: "", file } })).rejects.toThrow(
      /Expected a File or a Blob, of the same realm as FormData \(jsdom has its own\) at \["file"\]/
    )
  })
})

it("a form of Node.js has files of JSON as files, too", async () => {
  const mock = Mock.make(operations)
  const form = new FormData()
  form.append("note", "{}")
  form.append("file", new File(["[1]"], "a.json", { type: "application/json" }))
  expect(await mock.fetch("http://mock/plain", { method: "POST", body: form })).toMatchObject({ status: 204 })
  const [input] = mock.inputs(plain)
  expect(input?.payload).toMatchObject({ note: "{}", file: { name: "a.json", type: "application/json", size: 3 } })
})
