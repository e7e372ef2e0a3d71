/** The search finds guides first, before pages that only mention a thing, or are for few. */

/** Of Pagefind. Titles count as headings do: the names of modules would come before guides otherwise. */
export const ranking = {
  pageLength: 0.1,
  termFrequency: 0.5,
  termSaturation: 2,
  termSimilarity: 9,
  metaWeights: { title: 0 }
}

const weights: ReadonlyArray<readonly [paths: RegExp, weight: number]> = [
  [/^\/(?:contributing|decisions|openapi|api\/service|api\/testing\/(?:conformance|echo|fixtures))/, 0.1],
  [/^\/(?:api|architecture|changes|comparison|corpus|performance|recording|specification|threat-model)\//, 0.3],
  [/^\/$/, 0.3],
  [/^\/pages\//, 1.3],
  [/^\/packages\/client\//, 0.5],
  [/^\/(?:cluster|lab|moving|operations)\//, 0.5],
  [/^\/(?:packages|command)\//, 0.7],
  [/^\/(?:browser|compatibility)\//, 1.5]
]

/** Of the reference, the kinds and what each export repeats, such as "Returns": the search would lead there. */
const repeated = /<h(?:2(?=[ >])|[4-6](?=[^>]*>[A-Z]))/g

export const weigh = (html: string, path: string): string => {
  // messages that readers paste are in its tables
  if (path === "/errors/") return html.replaceAll(/<td(?=[ >])/g, '$& data-pagefind-weight="5"')
  const weight = weights.find(([paths]) => paths.test(path))?.[1]
  if (weight === undefined) return html
  const attribute = `data-pagefind-weight="${weight}"`
  // a heading would have a weight of its own
  const weighed = html
    .replace("data-pagefind-body", `$& ${attribute}`)
    .replaceAll(/<h[1-6](?=[ >])/g, `$& ${attribute}`)
  return path.startsWith("/api/") ? weighed.replaceAll(repeated, "$& data-pagefind-ignore") : weighed
}
