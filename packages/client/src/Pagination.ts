import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Calls } from "./Client.ts"
import type { CallError, ClientReason } from "./CallError.ts"
import type { Page } from "./internal/pages.ts"
import type * as Operation from "./Operation.ts"
import * as OptionRules from "./OptionRules.ts"

export { nextLink, type Page } from "./internal/pages.ts"

/**
 * How a list is read.
 */
export interface Options {
  /** Where to begin: `next` of an earlier page. Default: the first page. */
  readonly from?: string | undefined
}

/**
 * Reads a list page by page.
 *
 * **Details**
 *
 * The stream requests a page when it is pulled, and ends after the last page. Each page is a call with the usual retries
 * and deadlines, so a retry does not lose its place. After a failure, continue from `next` of the last page. Throws a
 * `RangeError` if `from` is not a string.
 *
 * A link, and a cursor that is an absolute URL, is requested as it is, without the credentials in it, which each request
 * gets anew. One with `http` to the host of an `https` base URL is requested with `https`. The list fails with
 * `InvalidResponse` after a page that leads to another origin, or back to one that was read.
 *
 * **Example** (Saving page by page)
 *
 * ```ts
 * import * as Stream from "effect/Stream"
 * import type * as Client from "@cloud-management/client/Client"
 * import type * as Operation from "@cloud-management/client/Operation"
 * import * as Pagination from "@cloud-management/client/Pagination"
 *
 * const copy = <O extends Operation.Paged>(
 *   client: Client.Calls,
 *   listing: O,
 *   input: Operation.Input<O>,
 *   save: (page: Pagination.Page<Operation.Item<O>>) => void
 * ) => Pagination.pages(client, listing, input).pipe(Stream.map(save), Stream.runDrain)
 * ```
 */
export function pages<O extends Operation.Paged>(
  client: Calls,
  operation: O,
  input: Operation.Input<O>,
  options?: Options
): Stream.Stream<Page<Operation.Item<O>>, CallError<Operation.Refusals<O> | ClientReason>>
export function pages(
  client: Calls,
  operation: Operation.Paged,
  input: unknown,
  options: Options = {}
): Stream.Stream<Page<unknown>, unknown> {
  OptionRules.check("pages", OptionRules.options(options), { from: OptionRules.text })
  return Stream.suspend(() => {
    const next = operation.pagination.reader(
      (query) => client.exchange({ ...operation, ...(query && { query }) }, Object.assign({}, input)),
      operation,
      input,
      options.from
    )
    return Stream.unfold(undefined, () => Effect.map(next, (page) => page && ([page, undefined] as const)))
  })
}

/**
 * Reads the items of a list, page by page.
 *
 * **Example** (Collecting all items)
 *
 * ```ts
 * import * as Stream from "effect/Stream"
 * import type * as Client from "@cloud-management/client/Client"
 * import type * as Operation from "@cloud-management/client/Operation"
 * import * as Pagination from "@cloud-management/client/Pagination"
 *
 * const all = <O extends Operation.Paged>(client: Client.Calls, listing: O, input: Operation.Input<O>) =>
 *   Stream.runCollect(Pagination.items(client, listing, input))
 * ```
 *
 * @see {@link pages} for when it requests a page, and where it ends
 */
export const items = <O extends Operation.Paged>(
  client: Calls,
  operation: O,
  input: Operation.Input<O>,
  options?: Options
): Stream.Stream<Operation.Item<O>, CallError<Operation.Refusals<O> | ClientReason>> =>
  Stream.flatMap(pages(client, operation, input, options), ({ items }) => Stream.fromIterable(items))
