import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import * as Core from "@cloud-management/client/Credentials"
import { operations } from "@cloud-management/core/Operations"
import {
  Client,
  ClientError,
  ClosedError,
  CloudManagement,
  type CloudManagementOptions,
  InvalidOptionError,
  type Key,
  type Options
} from "@cloud-management/promise"
import { turns } from "../../../checks/fixtures/turns.ts"
import { list, listed, refused, rejection, settings, stub } from "./Stub.ts"

const { baseUrl } = settings
const keyOf = (version: number): Key => ({ keyId: `key-${version}`, keySecret: `secret ${version}` })

const connect = (
  options: Omit<CloudManagementOptions, "credentials"> & { readonly read?: (reads: number) => Key | Promise<Key> } = {}
) => {
  const { read, ...rest } = options
  const vault = { version: 1, known: 1, reads: 0 }
  const signed: Array<number> = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const [, encoded = ""] = (new Headers(init?.headers).get("authorization") ?? "").split(" ")
    const version = Number(/^key-(\d+):/.exec(atob(encoded))?.[1])
    signed.push(version)
    return version === vault.known ? listed() : refused(401)
  }
  const credentials = async () => {
    vault.reads++
    return read === undefined ? keyOf(vault.version) : read(vault.reads)
  }
  const cloud = new CloudManagement({ baseUrl, fetch, maxRetries: 0, ...rest, credentials })
  return { cloud, signed, vault, rotate: () => [vault.version++, vault.known++] }
}

describe("credentials that are a function", () => {
  it("are read before the first call, and no more while they work", async () => {
    const { cloud, signed, vault } = connect()
    expect(vault.reads).toBe(0)
    await Promise.all([cloud.organizations.list(), cloud.organizations.list()])
    await cloud.organizations.list()
    expect([vault.reads, signed]).toEqual([1, [1, 1, 1]])
  })

  it("that cannot be read at first reject the calls with their error, and are read anew for the next", async () => {
    const sealed = new Error("sealed")
    const { cloud, signed, vault } = connect({ read: (reads) => (reads === 1 ? Promise.reject(sealed) : keyOf(1)) })
    const calls = [cloud.organizations.list(), cloud.organizations.list()]
    expect(await Promise.all(calls.map(rejection))).toEqual([sealed, sealed])
    expect([vault.reads, signed]).toEqual([1, []])
    expect(await cloud.organizations.list()).toHaveLength(1)
    expect([vault.reads, signed]).toEqual([2, [1]])
  })

  it("are read by a call itself when nothing is heard of the first read, as where workerd cancelled its request", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const reading = Promise.withResolvers<void>()
    const { cloud, vault } = connect({
      read: (reads) => {
        if (reads > 1) return keyOf(1)
        reading.resolve()
        return new Promise(() => {})
      }
    })
    const cancelled = rejection(cloud.organizations.list())
    await reading.promise
    await turns()
    expect(vault.reads).toBe(1)
    vi.clearAllTimers()
    const next = cloud.organizations.list()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await next).toHaveLength(1)
    await cloud.close()
    expect(await cancelled).toBeInstanceOf(ClosedError)
  })

  it.each<[what: string, read: () => Promise<Key>, expected: object]>([
    [
      "without an error",
      () => Promise.reject("sealed"),
      new ClientError("the credentials cannot be read", { cause: "sealed" })
    ],
    [
      "for a key that HTTP Basic cannot carry",
      async () => ({ keyId: "a:b", keySecret: "c" }),
      new InvalidOptionError(
        "keyId",
        "keyId must be non-empty text without colons and control characters, such as a final line break"
      )
    ],
    [
      "when the first read takes longer than an attempt may",
      () => new Promise(() => {}),
      new ClientError("reading `credentials` took longer than `timeout`")
    ]
  ])("reject %s", async (_, read, expected) => {
    const { cloud, signed } = connect({ read, timeout: 50 })
    expect(await rejection(cloud.organizations.list())).toEqual(expected)
    expect(signed).toEqual([])
  })

  it.each([[undefined], [{ id: "key-1", secret: "orange" }], [{ keyId: "key-1", keySecret: undefined }]])(
    "reject with the way out for what is not a key: %j",
    async (key) => {
      // of a program without types
      const options: object = { baseUrl, fetch: async () => listed(), credentials: () => key }
      expect(await rejection(new CloudManagement(options).organizations.list())).toEqual(
        new InvalidOptionError(
          "credentials",
          "credentials must be a value of the module Credentials of @cloud-management/client, or a function that returns one"
        )
      )
    }
  )

  it.each([1, 2])("are not waited for by a process whose client was closed meanwhile: read %s", async (last) => {
    const set = vi.spyOn(globalThis, "setTimeout")
    const cleared = vi.spyOn(globalThis, "clearTimeout")
    onTestFinished(() => void vi.restoreAllMocks())
    const reading = Promise.withResolvers<void>()
    const { cloud, rotate } = connect({
      read: (reads) => {
        if (reads < last) return keyOf(1)
        reading.resolve()
        return new Promise(() => {})
      }
    })
    if (last > 1) {
      await cloud.organizations.list()
      rotate()
    }
    const call = rejection(cloud.organizations.list())
    await reading.promise
    await cloud.close()
    expect(await call).toBeInstanceOf(ClosedError)
    const handles = set.mock.results.filter((_, index) => Number(set.mock.calls[index]?.[1]) >= 10_000)
    expect(handles).not.toHaveLength(0)
    expect(cleared.mock.calls.flat()).toEqual(expect.arrayContaining(handles.map(({ value }) => value)))
  })

  it("can be any that core makes, with an end or without", async () => {
    const { fetch, requests } = stub(listed)
    for (const credentials of [
      Core.make("id", "secret"),
      () => Core.make("id", "secret"),
      async () => Core.expiring(Core.make("id", "secret"), 3_600_000)
    ]) {
      await new CloudManagement({ baseUrl, fetch, credentials }).organizations.list()
    }
    expect(new Set(requests.map(({ headers }) => headers.get("authorization")))).toEqual(
      new Set([`Basic ${btoa("id:secret")}`])
    )
  })

  it("take the place of keyId, keySecret and the environment, but of no other option", async () => {
    const credentials = () => keyOf(1)
    expect(() => new CloudManagement({ ...settings, credentials })).toThrow(
      new InvalidOptionError("credentials", "credentials replaces keyId and keySecret: pass one or the other")
    )
    expect(String(await rejection(new CloudManagement({ credentials }).organizations.list()))).toMatch(
      /missing options: baseUrl\. /
    )
    expect(() => new CloudManagement({ baseUrl: "nowhere", credentials })).toThrow(InvalidOptionError)
  })
})

describe("a client of a registry of one's own", () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })
  const stubEnvironment = () => {
    vi.stubEnv("CLOUD_MANAGEMENT_BASE_URL", "https://ours.example.com")
    vi.stubEnv("CLOUD_MANAGEMENT_KEY_ID", "our-id")
    vi.stubEnv("CLOUD_MANAGEMENT_KEY_SECRET", "our-secret")
  }

  it.each<[what: string, options: Partial<Options>, authorization: string | null]>([
    ["none", {}, null],
    ["none that are undefined", { credentials: undefined }, null],
    ["a key", { credentials: Core.make("own-id", "own-secret") }, `Basic ${btoa("own-id:own-secret")}`]
  ])("sends the credentials that it is given, and none of the environment: %s", async (_, options, authorization) => {
    stubEnvironment()
    const { fetch, requests } = stub((request) =>
      request.url.endsWith("/keys") ? Response.json({ keys: [] }) : listed()
    )
    await using cloud = new Client({ ...options, baseUrl, fetch, operations: { ...operations, keys: { list } } })
    await cloud.keys.list()
    await cloud.organizations.list()
    expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual([authorization, authorization])
  })
})
