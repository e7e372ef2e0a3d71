import * as Result from "effect/Result"

/** The cookies of a header that has several: each begins with a name, and dates have commas too. */
const cookiesOf = (text: string): ReadonlyArray<string> => {
  const cookies: Array<string> = []
  for (const part of text.split(",")) {
    if (cookies.length === 0 || /^\s*[\w!#$%&'*+.^`|~-]+=/.test(part)) cookies.push(part.trim())
    else cookies[cookies.length - 1] += `,${part}`
  }
  return cookies
}

/** Of a program's own `fetch`, a response can have headers that the class rejects; the call has succeeded all the same. */
export const toHeaders = (fields: Readonly<Record<string, string>>): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) {
    for (const each of name === "set-cookie" ? cookiesOf(value) : [value]) {
      Result.try(() => headers.append(name, each))
    }
  }
  return headers
}
