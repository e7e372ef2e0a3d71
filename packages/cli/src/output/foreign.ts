/** External text on one line, which cannot move the cursor, colour the terminal or reverse the direction of writing. */
export const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "\ufffd")

const longest = 4096

/** A count for people: 1,048,576. */
const counted = (count: number) => count.toLocaleString("en")

/** The same for a text among others, of which a long one is cut. */
export const brief = (text: string): string =>
  text.length <= longest
    ? clean(text)
    : `${clean(text.slice(0, longest))} … (${counted(text.length - longest)} more characters)`

const escape = (character: string) =>
  character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The same JSON without characters that it leaves as they are, and a terminal or a reader of lines could act on. */
export const escaped = (json: string): string => json.replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escape)

declare global {
  interface JSON {
    // of Node.js ≥ 21
    readonly rawJSON: (text: string) => unknown
  }
}

/** A large integer keeps its digits. */
const digits = (_: string, value: unknown) => (typeof value === "bigint" ? JSON.rawJSON(String(value)) : value)

/** A value as JSON for a terminal or a program, on one line unless it is indented. */
export const toJson = (value: unknown, indent?: number): string => escaped(JSON.stringify(value, digits, indent))

/** The parts of a text of JSON: where strings begin, marks, and what stands between them. */
const begin = /"|[{}[\]:,]|[^\s{}[\]:,"]+/g

/** The end of a string. A pattern for whole strings would throw for one of 8 MB. */
const endOf = (json: string, start: number): number => {
  const pause = /["\\]/g
  pause.lastIndex = start + 1
  for (let mark = pause.exec(json); mark !== null; mark = pause.exec(json)) {
    if (mark[0] === '"') return pause.lastIndex
    pause.lastIndex++
  }
  return json.length
}

/** Numbers stay as they are: of 20 digits, a number of JavaScript would keep 16. */
export const respaced = (json: string, indent = 0): string => {
  let [result, depth, previous] = ["", 0, ""]
  // deeper lines are indented no further, or the text would grow with the square of the depth
  const line = () => (indent === 0 ? "" : `\n${" ".repeat(indent * Math.min(depth, 100))}`)
  begin.lastIndex = 0
  for (let found = begin.exec(json); found !== null; found = begin.exec(json)) {
    const { index } = found
    if (found[0] === '"') begin.lastIndex = endOf(json, index)
    const token = json.slice(index, begin.lastIndex)
    // spaces could make a response of some MiB 200 times as long
    if (indent > 0 && result.length > 2 ** 20) {
      return `${escaped(result)}\n… (${counted(json.length - index)} more characters: pass --format json to see all)`
    }
    const isEmpty = previous === "{" || previous === "["
    if (token === "}" || token === "]") {
      depth--
      result += isEmpty ? token : line() + token
    } else {
      if (isEmpty || previous === ",") result += line()
      if (token === "{" || token === "[") depth++
      result += token === ":" && indent > 0 ? ": " : token
    }
    previous = token
  }
  return escaped(result)
}
