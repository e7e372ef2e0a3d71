import { generateKeyPairSync, sign } from "node:crypto"

/** A value of DER (ITU-T X.690): its tag, its length and its contents. */
const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>) => {
  const bytes = Buffer.concat(contents)
  const length =
    bytes.length < 0x80
      ? [bytes.length]
      : bytes.length < 0x100
        ? [0x81, bytes.length]
        : [0x82, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), bytes])
}
const sequence = (...contents: ReadonlyArray<Uint8Array>) => der(0x30, ...contents)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const utcTime = (text: string) => der(0x17, Buffer.from(text, "ascii"))

/**
 * A certificate for `localhost` and `127.0.0.1` that is signed by itself (RFC 5280 §4.1), and its key, in PEM: made anew,
 * so that none is kept. It is valid from 2020 to 2049, unless other moments are given as UTCTime.
 */
export const selfSigned = (
  kind: "ec" | "rsa" = "ec",
  expiry = "491231235959Z",
  { begin = "200101000000Z", host = "localhost", address = [127, 0, 0, 1] } = {}
): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 })
  // ecdsa-with-SHA256 (RFC 5758 §3.2), sha256WithRSAEncryption (RFC 4055 §5)
  const algorithm =
    kind === "ec" ? sequence(objectId("2a8648ce3d040302")) : sequence(objectId("2a864886f70d01010b"), der(0x05))
  const name = sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(host, "utf8")))))
  const yes = der(0x01, Buffer.from([0xff]))
  const isAuthority = sequence(objectId("551d13"), yes, der(0x04, sequence(yes)))
  const names = sequence(der(0x82, Buffer.from(host, "ascii")), der(0x87, Buffer.from(address)))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime(begin), utcTime(expiry)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(isAuthority, sequence(objectId("551d11"), der(0x04, names))))
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, privateKey))
  const lines = sequence(content, algorithm, signature).toString("base64").replace(/.{64}/g, "$&\n")
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  }
}

/** One for the whole process, where a server and its clients are apart. */
export const { cert: certificate, key: privateKey } = selfSigned()
