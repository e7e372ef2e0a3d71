import { describe, expect, it, vi } from "../../../checks/fixtures/vitest.ts"
import { createHash } from "node:crypto"
import { Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiKeySecret } from "@cloud-management/service"
import { matches } from "../src/frame/admission/authentication.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

it.effect.over(SecureRandom.layerWebCrypto)(
  "a generated secret has a recognisable prefix and 256 bits, as base64url",
  function* () {
    const secrets = (yield* Effect.replicateEffect(ApiKeySecret.generate, 50)).map(Redacted.value)
    for (const secret of secrets) expect(secret).toMatch(/^cmk_[A-Za-z0-9_-]{43}$/)
    expect(new Set(secrets).size).toBe(50)
  }
)

describe("the digest of a secret", () => {
  it.prop(
    "is SHA-256 of its UTF-8 bytes in hexadecimal, whatever they are",
    [Schema.String],
    ([text]) => {
      expect(ApiKeySecret.digest(Redacted.make(text))).toBe(sha256(text))
    },
    { arbitrary: { seed: "cloud-management", runs: 100 } }
  )

  it("is the same where there is no node:crypto", async () => {
    vi.resetModules()
    vi.stubGlobal("process", { ...process, getBuiltinModule: undefined })
    const { hash: portable } = await import("../src/frame/ApiKeySecret.ts")
    vi.unstubAllGlobals()
    for (const text of ["", "abc", "s3cret".repeat(100)]) {
      expect(portable(new TextEncoder().encode(text))).toBe(sha256(text))
    }
  })
})

describe("verifying a secret", () => {
  const hash = (secret: string) => ApiKeySecret.hash(new TextEncoder().encode(secret))
  const secret = hash("s3cret")

  it("accepts the secret behind the digest only", () => {
    expect(matches(secret, sha256("s3cret"))).toBe(true)
    expect(matches(secret, sha256("s3cret "))).toBe(false)
    expect(matches(hash(""), sha256("s3cret"))).toBe(false)
    // the digest that stands for that of an unknown key
    expect(matches("0".repeat(64), undefined)).toBe(false)
  })

  it.each([
    ["no digest, as of an unknown key", undefined],
    ["an empty digest", ""],
    ["a digest that is cut", sha256("s3cret").slice(0, 62)],
    ["a digest that is too long", `${sha256("s3cret")}00`],
    ["what is no hexadecimal", "z".repeat(64)],
    ["the secret itself", "s3cret"]
  ])("refuses %s", (_, digest) => {
    expect(matches(secret, digest)).toBe(false)
  })
})
