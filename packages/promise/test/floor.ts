/**
 * Makes calls where everything is missing that the browsers of September 2022 (Safari 16, Chrome and Edge 105, Firefox 104)
 * lack, or one of them, and prints their results.
 */
const iterators: object = Object.getPrototypeOf(Object.getPrototypeOf([].values()))
const lacking: ReadonlyArray<readonly [object: object, names: ReadonlyArray<string | symbol>]> = [
  [globalThis, ["DisposableStack", "AsyncDisposableStack", "SuppressedError", "Iterator", "Float16Array", "navigator"]],
  [AbortSignal, ["any"]],
  [Array, ["fromAsync"]],
  [Array.prototype, ["toReversed", "toSorted", "toSpliced", "with"]],
  [ArrayBuffer.prototype, ["resize", "transfer", "transferToFixedLength"]],
  [Error, ["captureStackTrace", "isError"]],
  [iterators, Object.getOwnPropertyNames(iterators).filter((name) => name !== "constructor")],
  [Map, ["groupBy"]],
  [Object, ["groupBy"]],
  [Promise, ["try", "withResolvers"]],
  [ReadableStream, ["from"]],
  [ReadableStream.prototype, ["values", Symbol.asyncIterator]],
  [RegExp, ["escape"]],
  [Response, ["json"]],
  [Set.prototype, ["difference", "intersection", "isSubsetOf", "isSupersetOf", "symmetricDifference", "union"]],
  // without toWellFormed, which the Response of Node.js needs
  [String.prototype, ["isWellFormed"]],
  [Uint8Array, ["fromBase64", "fromHex"]],
  [URL, ["canParse", "parse"]]
]
for (const [object, names] of lacking) for (const name of names) Reflect.deleteProperty(object, name)

// after the features are gone
const { CloudManagement } = await import("@cloud-management/promise")
const { wellFormed } = await import("../../core/src/internal/content.ts")
const id = "12345678-1234-1234-1234-123456789012"
const settings = { baseUrl: "https://api.example.com", keyId: "key-id", keySecret: "key-secret" }
const listed = { status: 200, requestId: "req-1", result: [{ id, name: "Acme", createdAt: "2026-01-01T00:00:00Z" }] }
let requests = 0
const cloud = new CloudManagement({
  ...settings,
  fetch: async (_, init) => {
    if (init?.method === "DELETE") return new Response(`{"status":403,"error":"no"}`, { status: 403 })
    return ++requests === 1 ? new Response("", { status: 503 }) : new Response(JSON.stringify(listed))
  }
})
const nameOf = (error: unknown) => String(error instanceof Error && error.name)
const results: Array<unknown> = [
  (await cloud.organizations.list())[0]?.name,
  await cloud.apiKeys.delete({ organizationId: id, keyId: id }).catch(nameOf),
  await Promise.resolve()
    .then(() => new CloudManagement({ ...settings, baseUrl: "https://" }))
    .catch(nameOf),
  await Promise.resolve()
    .then(() => wellFormed("query", "\ud800"))
    .catch(nameOf),
  wellFormed("query", "😀")
]
await cloud.close()
console.log(
  JSON.stringify({
    requests,
    results,
    left: lacking.map(([object, names]) => names.filter((name) => name in object)).flat()
  })
)
