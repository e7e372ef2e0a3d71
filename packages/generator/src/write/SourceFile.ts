import * as Literal from "../model/Literal.ts"
import type { Document } from "../read/Document.ts"
import { property, text } from "../read/Json.ts"
import * as Layout from "./Layout.ts"

/**
 * The first lines of a file. All types are declared. What the compiler would infer of the values to compare is most of what a
 * document costs it, in each program anew; that they are the same is checked where the generator is tested.
 */
const head = `// generated: change the document, or a patch of it
// @ts-nocheck: the types are declared; that the values have them is not checked in each program again
`

const modules: ReadonlyArray<readonly [name: string, line: string]> = [
  ["Body", `import * as Body from "@cloud-management/client/Body"`],
  ["CallError", `import * as CallError from "@cloud-management/client/CallError"`],
  ["Envelope", `import * as Envelope from "@cloud-management/client/Envelope"`],
  ["Operation", `import * as Operation from "@cloud-management/client/Operation"`],
  ["Refusal", `import * as Refusal from "@cloud-management/client/Refusal"`],
  ["Style", `import * as Style from "@cloud-management/client/Style"`],
  ["Wire", `import * as Wire from "@cloud-management/client/Wire"`],
  ["Brand", `import type * as Brand from "effect/Brand"`],
  ["DateTime", `import type * as DateTime from "effect/DateTime"`],
  ["Schema", `import * as Schema from "effect/Schema"`]
]

/** Code without its texts and comments. */
const withoutText = (code: string): string => {
  const bare: Array<string> = []
  let from = 0
  for (const { 0: mark, index } of code.matchAll(/\/\*\*|["']/g)) {
    // within the last one
    if (index < from) continue
    bare.push(code.slice(from, index))
    from = index + 1
    if (mark === "/**") from = code.indexOf("*/", index) + 2
    else while (code.charAt(from++) !== mark) if (code.charAt(from - 1) === "\\") from++
  }
  return [...bare, code.slice(from)].join("")
}

/** A file with the imports that its code uses, and lines after them. */
export const file = (
  code: string,
  own: ReadonlyArray<readonly [name: string, line: string]> = [],
  after = ""
): string => {
  const used = new Set(Array.from(withoutText(code).matchAll(/(?:^|[^\w$.])([A-Z]\w*)\./g), ([, name]) => name))
  const lines = [...modules, ...own].flatMap(([name, line]) => (used.has(name) ? [`${line}\n`] : []))
  return [`${head}${lines.join("")}${after}`, code]
    .filter((part) => part !== "")
    .join(lines.length + after.length > 0 ? "\n" : "")
}

/** The name of the API in spans, metrics and the header `user-agent`: by default the title of its document. */
export const api = ({ root }: Document, name: string | undefined): string => {
  const info = property(root, "info")
  const oneLine = (text = "") => text.replace(/\s+/g, " ").trim()
  const version = oneLine(text(info, "version"))
  const given = { name: name ?? (oneLine(text(info, "title")) || "api"), ...(version !== "" && { version }) }
  const fields = Object.entries(given).map(([key, value]) => [`${key}: `, Literal.text(value)])
  return file(
    `/** The name of the API and the version of its document, in spans, metrics and the header \`user-agent\`. */
${Layout.render(["export const api: Operation.Api = ", Layout.object(fields)])}
`
  )
}
