import { describe, expect, expectTypeOf, it } from "vitest"
import { type CallOptions, Client, InvalidOptionError } from "@cloud-management/promise"
import { list, rejection, settings } from "./Stub.ts"

const day = (n: number) => new Date(Date.UTC(2026, 0, n))
const open = () => {
  const asked: Array<string> = []
  const cloud = new Client({
    baseUrl: settings.baseUrl,
    maxRetries: 0,
    operations: { keys: { list } },
    fetch: async (url) => {
      const cursor = new URL(new Request(url).url).searchParams.get("cursor") ?? "1"
      asked.push(cursor)
      const n = Number(cursor)
      return Response.json({
        keys: [{ at: day(2 * n - 1) }, { at: day(2 * n) }],
        ...(n < 3 && { next: String(n + 1) })
      })
    }
  })
  return { cloud, asked }
}

const collect = async <A>(iterable: AsyncIterable<A>) => {
  const all: Array<A> = []
  for await (const one of iterable) all.push(one)
  return all
}

describe("a list", () => {
  it("rejects a place to begin that is not a string, and asks for nothing", async () => {
    const { asked, cloud } = open()
    // of a program without types
    const error = await rejection(collect(cloud.keys.list.items({}, { from: 3 as never })))
    expect(error).toEqual(new InvalidOptionError("from", "from must be a string"))
    expect(await rejection(collect(cloud.keys.list.items({}, { idempotencyKey: "a" })))).toEqual(
      new InvalidOptionError("idempotencyKey", "idempotencyKey must be left out: each page is a call of its own")
    )
    expect(asked).toEqual([])
  })

  it("is read page by page, each when it is asked for", async () => {
    const { asked, cloud } = open()
    const seen: Array<unknown> = []
    for await (const page of cloud.keys.list.pages()) {
      seen.push(page)
      expect(asked).toHaveLength(seen.length)
    }
    expect(seen).toEqual([
      { items: [{ at: day(1) }, { at: day(2) }], next: "2" },
      { items: [{ at: day(3) }, { at: day(4) }], next: "3" },
      { items: [{ at: day(5) }, { at: day(6) }] }
    ])
  })

  it("is read item by item, from a page that is given, and no further than to where the loop ends", async () => {
    const { asked, cloud } = open()
    const seen: Array<Date> = []
    for await (const { at } of cloud.keys.list.items({}, { from: "2" })) {
      seen.push(at)
      if (seen.length === 3) break
    }
    expect(seen).toEqual([day(3), day(4), day(5)])
    expect(asked).toEqual(["2", "3"])
  })

  it("stops at an abort between two pages", async () => {
    const { asked, cloud } = open()
    const controller = new AbortController()
    const pages = cloud.keys.list.pages({}, { signal: controller.signal })
    await pages.next()
    controller.abort(new Error("enough"))
    expect(await rejection(pages.next())).toMatchObject({ message: "enough" })
    expect(asked).toEqual(["1"])
  })

  it("has types that follow from the operation", () => {
    const { cloud } = open()
    expectTypeOf(cloud.keys.list.items).returns.toEqualTypeOf<AsyncGenerator<{ readonly at: Date }, void, undefined>>()
    expectTypeOf(cloud.keys.list).parameter(1).toEqualTypeOf<CallOptions | undefined>()
    expect(cloud.keys.list).toBeTypeOf("function")
  })
})
