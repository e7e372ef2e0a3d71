/** The kind of an object of any realm (a frame, `node:vm`, Jest's sandbox): `instanceof` knows only its own. */
export const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

export const isError = (value: unknown): value is Error =>
  value instanceof Error || /^(Error|DOMException)$/.test(kindOf(value))
