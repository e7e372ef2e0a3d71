import * as Pages from "./pages.ts"

/** A list whose pages have their items at a path. */
interface Listed<Tag> {
  readonly _tag: Tag
  readonly reader: Pages.Reader
  /** Path to the items in the content of a page, such as `result.keys`. A page without them, or with null, has none. */
  readonly items: string
}

/** A list whose pages are asked for by a query parameter. */
interface Queried<Tag> extends Listed<Tag> {
  /** Name of the query parameter that takes the cursor, the number of items to skip, or that of the page. */
  readonly query: string
}

/**
 * A cursor in the content of each page, sent back in the query. A cursor that is an absolute URL is followed as a link.
 */
export interface Cursor extends Queried<"Cursor"> {
  /**
   * Path to the next cursor, a text or a number, in the content of a page, such as `result.nextCursor`. `-1` is the last item
   * of a list: `data.-1.id`.
   */
  readonly next: string
  /** Path to whether more pages follow. Default: the first page without a cursor is the last. */
  readonly more?: string
}

/**
 * The number of items to skip, sent in the query.
 */
export interface Offset extends Queried<"Offset"> {
  /** Path to whether more items follow, or to the number of all items. Default: the first page without items is the last. */
  readonly more?: string
}

/**
 * The number of a page, sent in the query.
 */
export interface PageNumber extends Queried<"PageNumber"> {
  /** The number of the first page. Default: 1. */
  readonly first?: number
  /** Path to whether more pages follow, or to the number of all pages. Default: the first page without items is the last. */
  readonly more?: string
}

/**
 * A link to the next page: its target is requested as it is.
 */
export interface Link extends Listed<"Link"> {
  /** Path to the link in the content of a page, such as `links.next`. Default: the header `Link` with `rel="next"` (RFC 8288). */
  readonly next?: string
}

/**
 * How an operation reads a list page by page.
 *
 * @see the module `Pagination`
 */
export type Pagination = Cursor | Offset | PageNumber | Link

/** The options as they are given, with the reader that is made of them. */
type Declared<Tag, Options> = { readonly _tag: Tag; readonly reader: Pages.Reader } & Options

/**
 * Pagination by a cursor in the decoded content; on the last page, the cursor is empty, missing, `null` or not a positive
 * number, or `more` is `false`.
 */
export const cursor = <const Options extends Omit<Cursor, "_tag" | "reader">>(
  options: Options
): Declared<"Cursor", Options> => ({
  _tag: "Cursor",
  ...options,
  reader: Pages.reader(options.items, options.query, Pages.inContent(options.next, options.more))
})

/**
 * Pagination by an offset.
 */
export const offset = <const Options extends Omit<Offset, "_tag" | "reader">>(
  options: Options
): Declared<"Offset", Options> => ({
  _tag: "Offset",
  ...options,
  reader: Pages.reader(options.items, options.query, Pages.counted(options))
})

/**
 * Pagination by the numbers of pages.
 */
export const pageNumber = <const Options extends Omit<PageNumber, "_tag" | "reader">>(
  options: Options
): Declared<"PageNumber", Options> => ({
  _tag: "PageNumber",
  ...options,
  reader: Pages.reader(options.items, options.query, Pages.counted({ first: 1, ...options }, true))
})

/**
 * Pagination by a link, in the header `Link` or in the content; on the last page, it is missing or empty.
 *
 * **Details**
 *
 * The target is requested as it is, relative to the page that has it, without the credentials in it, which each request
 * gets anew. Another origin than that of the base URL gets no request: the list fails.
 */
export const link = <const Options extends Omit<Link, "_tag" | "reader">>(
  options: Options
): Declared<"Link", Options> => ({
  _tag: "Link",
  ...options,
  reader: Pages.reader(
    options.items,
    undefined,
    options.next === undefined ? Pages.inHeader : Pages.inContent(options.next)
  )
})
