import { isObject } from "../read/Json.ts"
import * as Digits from "./Digits.ts"
import * as Fields from "./Fields.ts"
import type * as Media from "./Media.ts"
import type { Reply } from "./Reply.ts"
import type { Received } from "./Request.ts"
import type { Schema } from "./References.ts"
import type { Schemas } from "./Schemas.ts"

const names = (text: string) => new Set(text.split(" "))

/** Where the next page is, or that there is one. Names are compared in lower case, without hyphens and underscores. */
const forward = names(
  "next nextpage nextcursor nexttoken nextlink nexturl nexturi nexthref nextoffset nextmarker nextid nextpagetoken nextpagecursor " +
    "nextpagelink nextpageurl pagetoken continuationtoken nextcontinuationtoken endcursor cursor marker"
)
/** The same, where it is a text within an object. */
const within = names("after startingafter pagecursor")
const more = names("hasmore hasnext hasnextpage hasmoreresults hasmorepages istruncated more")
/** Where a page begins. The first page is 1, if it has a number; whoever counts from 0 begins with 0. */
const counted = names("page pagenumber pageindex pageno offset skip start startat startindex")

const nameOf = (name: string) => name.toLowerCase().replace(/[-_]/g, "")

/** How deep a list, and what says that it ends, can be. */
const deepest = 2

const hasList = (value: unknown, depth = 0): boolean =>
  Array.isArray(value) ||
  (isObject(value) && depth < deepest && Object.values(value).some((one) => hasList(one, depth + 1)))

/** The last page of a list, which has no items if one before it was asked for. Other values stay as they are. */
export const of = (schemas: Schemas, content: Media.Content | undefined, reply: Reply, { query }: Received): Reply => {
  if (content?.kind !== "json" || reply.status > 299 || !hasList(reply.value)) return reply
  const isLater = query.some(([name, text]) => {
    const own = nameOf(Fields.plain(name))
    return counted.has(own) && Number(text) > (own.startsWith("page") ? 1 : 0)
  })
  const ended = (value: unknown, parts: ReadonlyArray<Schema>, depth = 0): unknown => {
    if (Array.isArray(value)) return isLater ? [] : value
    if (!isObject(value) || depth > deepest) return value
    const { properties, required } = schemas.whole(parts)
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]): ReadonlyArray<readonly [string, unknown]> => {
        const own = properties.get(name) ?? []
        if (more.has(nameOf(name)) && typeof field === "boolean") return [[name, false]]
        const isWithin = depth > 0 && typeof field === "string" && within.has(nameOf(name))
        if ((!forward.has(nameOf(name)) && !isWithin) || Array.isArray(field))
          return [[name, ended(field, own, depth + 1)]]
        if (!required.has(name)) return []
        const isText = typeof field === "string"
        return [[name, schemas.takesNull(own) ? null : isText ? "" : typeof field === "number" ? 0 : field]]
      })
    )
  }
  const value = ended(reply.value, [content.schema])
  return { ...reply, value, body: Digits.stringify(value) }
}
