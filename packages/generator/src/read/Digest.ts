import { createHash } from "node:crypto"
import type { Shape } from "../model/Shape.ts"

/** A digest of a text (SHA-256). */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A digest of a shape itself, whatever its comments say. */
export const shape = (shape: Shape): string =>
  digest(JSON.stringify(shape, (key, value: unknown) => (key === "comment" ? undefined : value)))
