import { describe, expect, it } from "vitest"
import { AbortError, CloudManagement, ClosedError } from "@cloud-management/promise"
import { turns } from "../../../checks/fixtures/turns.ts"
import { connect, counted, id, listed, refused, rejection, settings, silence } from "./Stub.ts"

const busy = (options: object = {}) => {
  const asked = Promise.withResolvers<void>()
  const { cloud, requests } = connect(
    () => {
      asked.resolve()
      return refused(503, { "retry-after": "50" })
    },
    { deadline: Number.POSITIVE_INFINITY, ...options }
  )
  return { asked: asked.promise, cloud, requests }
}

describe("an abort", () => {
  it("rejects a call at once while it waits to be sent again, with the signal's reason", async () => {
    const { asked, cloud, requests } = busy()
    const controller = new AbortController()
    const call = cloud.organizations.list({ signal: controller.signal })
    await asked
    await turns()
    const reason = new Error("enough")
    controller.abort(reason)
    expect(await rejection(call)).toBe(reason)
    expect(requests).toHaveLength(1)
  })

  it("ends the request", async () => {
    const { cloud, requests } = connect(silence)
    const controller = new AbortController()
    const call = cloud.organizations.list({ signal: controller.signal })
    await turns()
    controller.abort()
    expect(await rejection(call)).toBe(controller.signal.reason)
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true])
  })

  it("before the call sends nothing", async () => {
    const { cloud, requests } = connect(listed)
    const error = await rejection(cloud.organizations.list({ signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: "AbortError" })
    expect(error).toBeInstanceOf(Error)
    await turns()
    expect(requests).toEqual([])
  })

  it("whose reason is no error is an AbortError with it as the cause", async () => {
    const { cloud } = connect(silence)
    const unreadable = {
      get [Symbol.toStringTag](): string {
        throw new Error("no tag")
      }
    }
    for (const reason of ["because", null, 0, unreadable]) {
      const controller = new AbortController()
      const call = cloud.organizations.list({ signal: controller.signal })
      controller.abort(reason)
      const error = await rejection(call)
      expect(error).toBeInstanceOf(AbortError)
      expect(error).toMatchObject({ name: "AbortError", cause: reason })
    }
  })

  it("after the call changes nothing, and the signal keeps no listener", async () => {
    const { cloud } = connect(listed)
    const { listeners, signal } = counted()
    await cloud.organizations.list({ signal })
    expect(listeners()).toBe(0)
  })
})

describe("a client that is closed", () => {
  it("rejects the calls that run, and those that come", async () => {
    const { asked, cloud, requests } = busy()
    const running = cloud.organizations.list()
    await asked
    const closed = cloud.close()
    const error = await rejection(running)
    expect(error).toBeInstanceOf(ClosedError)
    await closed
    expect(await rejection(cloud.apiKeys.delete({ organizationId: id, keyId: id }))).toBeInstanceOf(ClosedError)
    expect(requests).toHaveLength(1)
  })

  it("can be closed again, and at the end of a block", async () => {
    const { cloud } = connect(listed)
    {
      await using scoped = cloud
      await scoped.organizations.list()
    }
    expect(await rejection(cloud.organizations.list())).toBeInstanceOf(ClosedError)
    await cloud.close()
    await new CloudManagement(settings).close()
  })
})

it.each([
  ["an abort", "AbortError"],
  ["closing", "ClosedError"]
])("%s while the request is sent rejects its call", async (how, name) => {
  const controller = new AbortController()
  const [abort, close] = [() => controller.abort(), () => void cloud.close()]
  const { cloud } = connect((request, attempt) => {
    if (attempt === 1) return listed()
    if (how === "an abort") abort()
    else close()
    return silence(request, attempt)
  })
  // the transport is there then, and the next call sends its request in its first step
  await cloud.organizations.list()
  const call = rejection(cloud.organizations.list({ signal: controller.signal }))
  await turns()
  // ends what is still waited for, which must not be the call
  if (how === "an abort") close()
  else abort()
  expect(await call).toMatchObject({ name })
})
