/** A reader who searches finds the right page first, with the index that was built. */
import { ranking } from "../ranking.ts"
import { visit, type Site } from "./Site.ts"

/** A page that has to come first for each query; where several serve, one of them. */
const queries: Readonly<Record<string, RegExp>> = {
  retry: /^\/reliability\//,
  proxy: /^\/transports\//,
  timeout: /^\/(?:reliability|errors)\//,
  mock: /^\/(?:your-api|testing)\//,
  "401": /^\/(?:errors|credentials)\//,
  "rate limit": /^\/pacing\//,
  upload: /^\/uploads\//,
  stream: /^\/uploads\//,
  pagination: /^\/pages\//,
  generate: /^\/(?:your-api|packages\/generator)\//,
  openapi: /^\/your-api\//,
  bearer: /^\/credentials\//,
  token: /^\/credentials\//,
  "Next.js": /^\/nextjs\//,
  React: /^\/react\//,
  Cloudflare: /^\/edge\//,
  Deno: /^\/(?:edge|compatibility|transports)\//,
  Jest: /^\/jest-vitest\//,
  abort: /^\/(?:errors|packages\/promise)\//,
  "409": /^\/(?:errors|own-errors)\//,
  CORS: /^\/(?:browser|errors)\//,
  certificate: /^\/(?:errors|transports)\//,
  ECONNRESET: /^\/errors\//,
  ECONNREFUSED: /^\/errors\//,
  ENOTFOUND: /^\/errors\//,
  ETIMEDOUT: /^\/errors\//,
  UND_ERR_SOCKET: /^\/errors\//,
  CERT_HAS_EXPIRED: /^\/errors\//,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: /^\/errors\//,
  TypeError: /^\/errors\//,
  "Failed to fetch": /^\/errors\//,
  "fetch failed": /^\/errors\//,
  "socket hang up": /^\/errors\//,
  "double charge": /^\/reliability\//,
  "thundering herd": /^\/(?:errors|reliability)\//,
  axios: /^\/moving\//,
  SSE: /^\/uploads\//,
  OpenTelemetry: /^\/observability\//,
  polling: /^\/waiting\//,
  backoff: /^\/reliability\//,
  "bundle size": /^\/(?:browser|performance)\//,
  "exit code": /^\/packages\/cli\//,
  "idempotency key": /^\/(?:own-operations|reliability)\//,
  BigInt: /^\/(?:own-operations|your-api|api\/client\/wire)\//
}

interface Pagefind {
  readonly options: (options: object) => Promise<void>
  readonly search: (
    query: string
  ) => Promise<{ readonly results: ReadonlyArray<{ readonly data: () => Promise<{ readonly url: string }> }> }>
}

export const misses = (site: Site): Promise<ReadonlyArray<string>> =>
  visit(site, "/404.html", {}, async (page) => {
    const found = await page.evaluate(
      async ({ queries, ranking }) => {
        const path = "/pagefind/pagefind.js"
        const pagefind: Pagefind = await import(path)
        await pagefind.options({ ranking })
        const firsts: Array<readonly [query: string, urls: ReadonlyArray<string>]> = []
        for (const query of queries) {
          const { results } = await pagefind.search(query)
          firsts.push([query, await Promise.all(results.slice(0, 3).map(async ({ data }) => (await data()).url))])
        }
        return firsts
      },
      { queries: Object.keys(queries), ranking }
    )
    return found.flatMap(([query, urls]) =>
      queries[query]?.test(urls[0] ?? "") === true ? [] : [`a search for ${query} finds ${urls.join(", ")}`]
    )
  })
