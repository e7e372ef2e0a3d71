/**
 * The parts of a secret in a text, found the other way round than the client does it: with Node's own decoders, and with
 * every run of the secret compared as it is.
 */
import { encodings } from "./hostile.ts"

const utf8 = (bytes: Buffer) => bytes.toString("utf8")
const names: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", nbsp: " ", quot: '"' }
const ofCode = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : "")

/** One layer of each encoding taken away, in all places at once. */
const decoders: ReadonlyArray<(text: string) => ReadonlyArray<string>> = [
  // percent-encoding, of URLs and of forms
  (text) => {
    const decode = (text: string) =>
      text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => utf8(Buffer.from(run.replaceAll("%", ""), "hex")))
    return [decode(text), decode(text.replaceAll("+", " "))]
  },
  // strings of JSON
  (text) => [
    text.replace(/\\u[0-9a-f]{4}|\\./gi, (escape) => {
      try {
        return String(JSON.parse(`"${escape.toLowerCase()}"`))
      } catch {
        return escape.slice(1)
      }
    })
  ],
  // HTML
  (text) => [
    text.replace(/&#x([0-9a-f]+);|&#([0-9]+);|&([a-z]+);/gi, (entity, hex?: string, decimal?: string, name?: string) =>
      hex !== undefined
        ? ofCode(Number.parseInt(hex, 16))
        : decimal !== undefined
          ? ofCode(Number.parseInt(decimal, 10))
          : (names[name?.toLowerCase() ?? ""] ?? entity)
    )
  ],
  // UTF-8 read as Latin-1, or as what browsers call by that name
  (text) => [utf8(Buffer.from(text, "latin1")), utf8(windows1252(text))],
  // hexadecimal, from an even and from an odd place on
  (text) => digits(text, /[0-9a-f]{16,}/gi, 2, "hex"),
  // base64 and base64url, which Node takes for one
  (text) => digits(text, /[0-9a-z+/_-]{10,}/gi, 4, "base64")
]

const digits = (text: string, pattern: RegExp, places: number, encoding: "hex" | "base64") =>
  (text.match(pattern) ?? []).flatMap((run) =>
    Array.from({ length: places }, (_, place) => utf8(Buffer.from(run.slice(place), encoding)))
  )

const table = new Map(
  Array.from(
    new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
    (character, byte) => [character, byte]
  )
)
const windows1252 = (text: string) => Buffer.from(Array.from(text, (character) => table.get(character) ?? 0x3f))

/** Readings of a text: as it is, and after up to `depth` layers were taken away. */
const readings = (text: string, depth: number): ReadonlySet<string> => {
  const all = new Set([text])
  for (let layer = [text]; depth > 0; depth--) {
    layer = layer.flatMap((text) => decoders.flatMap((decode) => decode(text))).filter((text) => !all.has(text))
    for (const text of layer) all.add(text)
  }
  return all
}

/** Every run of 8 characters, or the whole of a text that has fewer. */
const runs = (text: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(1, text.length - 7) }, (_, i) => text.slice(i, i + 8))

const lower = (text: string) => text.toLowerCase()
const folded = (text: string) => text.replace(/\s+/g, " ")

/** The digits of base64 and base64url that a text determines, wherever it begins; all that is left of them in another case. */
const base64 = (text: string): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) =>
    (["base64", "base64url"] as const).map((encoding) => {
      const bytes = Buffer.from("..".slice(0, before) + text)
      return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
    })
  )

/**
 * A text without these shows no 8 characters of a secret: the runs in every encoding, and in base64 of that. Once its
 * letter case has changed, base64 cannot be decoded.
 */
const encodedRuns = (secret: string): ReadonlyArray<string> =>
  secret.length < 8
    ? []
    : runs(secret)
        .filter((run) => run.trim() !== "" && run.isWellFormed())
        .flatMap((run) => [
          ...base64(run).flatMap((digits) => [digits, ...base64(digits)]),
          ...Object.values(encodings).flatMap((encode) => base64(encode(run)))
        ])
        .map(lower)

/** Runs of 8 characters of a secret that a text shows, plain or encoded up to `depth` times. */
export const leaks = (secret: string, depth = 2) => {
  const plain = [...new Set([secret, folded(secret)].flatMap(runs).map(lower))].filter((run) => run.trim() !== "")
  const encoded = [...new Set(encodedRuns(secret))]
  return (text: string): ReadonlyArray<string> => {
    const shown = lower(text)
    return [
      ...encoded.filter((run) => shown.includes(run)),
      ...[...readings(text, depth)].map(lower).flatMap((reading) => {
        const here = [reading, folded(reading)]
        return plain.filter((run) => here.some((text) => text.includes(run)))
      })
    ]
  }
}
