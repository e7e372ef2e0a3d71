import { createHash } from "node:crypto"

/** A digest of a text (SHA-256). */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex")
