import * as Hex from "effect/encoding/Hex"
import { sha256 as portable } from "@noble/hashes/sha2.js"

type Crypto = typeof import("node:crypto")
interface Runtime {
  readonly getBuiltinModule?: (id: "node:crypto") => Partial<Crypto> | undefined
}

// a module of the runtime, nothing of its environment: faster where there is one. `crypto.subtle` is everywhere, but
// answers in a promise
const { process: runtime }: { readonly process?: Runtime } = globalThis
const native = runtime?.getBuiltinModule?.("node:crypto")?.hash

/** SHA-256 (FIPS 180-4), in hexadecimal. */
export const sha256: (bytes: Uint8Array) => string =
  native === undefined ? (bytes) => Hex.encode(portable(bytes)) : (bytes) => native("sha256", bytes, "hex")
