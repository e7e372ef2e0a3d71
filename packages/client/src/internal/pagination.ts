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
 * A link to the next page, which can be relative to the page that has it.
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

type Given<Kind> = Omit<Kind, "_tag" | "reader">

const declare = <Tag, Options extends { readonly items: string }>(
  _tag: Tag,
  options: Options,
  parameter: string | undefined,
  nextOf: Pages.NextOf
): Declared<Tag, Options> => ({ _tag, ...options, reader: Pages.reader(options.items, parameter, nextOf) })

/**
 * Pagination by a cursor in the decoded content; on the last page, the cursor is empty, missing, `null` or not a positive
 * number, or `more` is `false`.
 */
export const cursor = <const Options extends Given<Cursor>>(options: Options): Declared<"Cursor", Options> =>
  declare("Cursor", options, options.query, Pages.inContent(options.next, options.more))

/**
 * Pagination by an offset.
 */
export const offset = <const Options extends Given<Offset>>(options: Options): Declared<"Offset", Options> =>
  declare("Offset", options, options.query, Pages.counted(options))

/**
 * Pagination by the numbers of pages.
 */
export const pageNumber = <const Options extends Given<PageNumber>>(
  options: Options
): Declared<"PageNumber", Options> =>
  declare("PageNumber", options, options.query, Pages.counted({ first: 1, ...options }, true))

/**
 * Pagination by a link, in the header `Link` or in the content; on the last page, it is missing or empty.
 *
 * @see `Pagination.pages` for how it is requested
 */
export const link = <const Options extends Given<Link>>(options: Options): Declared<"Link", Options> =>
  declare("Link", options, undefined, options.next === undefined ? Pages.inHeader : Pages.inContent(options.next))
