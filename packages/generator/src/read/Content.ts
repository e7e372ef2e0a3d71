/** The content of a file of a document: JSON or YAML. */
import * as Yaml from "js-yaml"

/** Limits on hostile documents. */
const limits = { depth: 500, values: 20_000_000, aliases: 100_000, mergedKeys: 1_000_000 }

/** YAML 1.2, in which `no` is a text, with merge keys; tags of other programs say nothing. */
const schema = Yaml.CORE_SCHEMA.withTags(
  Yaml.mergeTag,
  Yaml.defineScalarTag("", { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  { ...Yaml.seqTag, tagName: "", matchByTagPrefix: true },
  { ...Yaml.mapTag, tagName: "", matchByTagPrefix: true }
)

/** A key or a dash, an anchor or a tag, and where the brackets or quotes of its value open. */
const opening = /^[^:#[{]*[:-] +(?:[&!]\w+ +)?[[{"']/
/** Texts and comments, in which brackets mean nothing, and brackets. */
const tokens = /\w'|"(?:[^"\\]|\\.)*"?|'[^']*'?|\s#.*|([[{])|([\]}])/g

/**
 * Indents lines in brackets and in quotes: YAML asks for it (1.2.2 §7.4), but few parsers do, and many a bracket closes below
 * its key.
 */
const indented = (text: string): string => {
  let depth = 0
  let quote = ""
  let textBelow = Infinity
  return text.replaceAll(/^.*$/gm, (line) => {
    const column = line.search(/\S/)
    const isInside = depth > 0 || quote !== ""
    if (column < 0 || (!isInside && column > textBelow)) return line
    textBelow = / [|>][-+\d]{0,2}$/.test(line.trimEnd()) ? column : Infinity
    const from = isInside ? 0 : (opening.exec(line)?.[0].length ?? line.length + 1) - 1
    const rest = quote + line.slice(from)
    quote = ""
    for (const [token, open, close] of rest.matchAll(tokens)) {
      depth = Math.max(0, depth + Number(open !== undefined) - Number(close !== undefined))
      if (/^(?:"(?:[^"\\]|\\.)*|'[^']*)$/.test(token)) quote = token.slice(0, 1)
    }
    // deeper than the block around it
    return isInside ? " ".repeat(limits.depth) + line : line
  })
}

const parse = (content: string, name: string): unknown => {
  const text = content.replace(/^\uFEFF/, "")
  try {
    // of repeated keys the last one counts
    if (/^\s*[{[]/.test(text)) return JSON.parse(text)
  } catch (error) {
    // YAML in braces is YAML
    if (name.endsWith(".json")) throw error
  }
  const load = (text: string) =>
    Yaml.load(text, { schema, maxDepth: limits.depth, maxTotalMergeKeys: limits.mergedKeys })
  try {
    return load(text)
  } catch (error) {
    if (!(error instanceof Yaml.YAMLException) || error.reason !== "deficient indentation") throw error
    return load(indented(text))
  }
}

/** The problem of a value: cycles, which YAML can express, aliases that multiply it, or its depth. */
const problemOf = (value: unknown): string | undefined => {
  let count = 0
  let aliases = 0
  const ancestors = new Set<unknown>()
  const seen = new Set<unknown>()
  const visit = (value: unknown): string | undefined => {
    if (++count > limits.values) return `more than ${limits.values} values`
    if (typeof value !== "object" || value === null) return undefined
    if (ancestors.has(value)) return "an alias contains itself"
    if (ancestors.size >= limits.depth) return `more than ${limits.depth} levels`
    if (seen.has(value) && ++aliases > limits.aliases) return `an alias multiplies it: more than ${limits.aliases}`
    seen.add(value)
    ancestors.add(value)
    for (const child of Object.values(value)) {
      const problem = visit(child)
      if (problem !== undefined) return problem
    }
    ancestors.delete(value)
    return undefined
  }
  return visit(value)
}

/** Reads a file, or throws what is wrong with it. */
export const read = (content: string, name: string): unknown => {
  const value = parse(content, name)
  const problem = problemOf(value)
  if (problem !== undefined) throw new Error(problem)
  return value
}
