/** Where a file of a document is. */

/** A file, and the URI that references in it are relative to. */
export interface Opened {
  readonly uri: string
  readonly content: string
}

export const isHttp = (uri: string): boolean => /^https?:\/\//i.test(uri)

/** A URL without credentials, in its user or in its query. */
export const shown = (name: string): string => {
  if (!isHttp(name)) return name
  // one that cannot be parsed can have a password
  if (!URL.canParse(name)) return "the URL"
  const { origin, pathname, search } = new URL(name)
  return `${origin}${pathname}${search === "" ? "" : "?…"}`
}
