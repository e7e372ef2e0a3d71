import * as Redacted from "effect/Redacted"
import * as Base64 from "effect/encoding/Base64"
import type { Credentials } from "../Credentials.ts"

/** How much of a foreign text is quoted. */
const limit = 200

/** What must never show: the secret, and the forms in which it travels. */
export const authorization = ({ keyId, keySecret }: Credentials): string =>
  `Basic ${Base64.encode(`${keyId}:${Redacted.value(keySecret)}`)}`

/**
 * Makes a text that came from outside (a response, an error of a transport) fit for an error message: without the
 * secret, on one line, bounded.
 */
export const makeQuote = (credentials: Credentials): ((text: string) => string) => {
  const secret = Redacted.value(credentials.keySecret)
  // without padding, which is not always written
  const base64 = (text: string) => Base64.encode(text).replace(/=+$/, "")
  const forms = [
    base64(`${credentials.keyId}:${secret}`),
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64(secret)
  ].filter((form) => form !== "")
  return (text) => {
    const clean = forms
      .reduce((rest, form) => rest.replaceAll(form, "<redacted>"), text)
      .replace(/[\u0000-\u0020\u007f-\u009f\u2028\u2029]+/g, " ")
      .trim()
    return clean.length > limit ? `${clean.slice(0, limit)}…` : clean
  }
}
