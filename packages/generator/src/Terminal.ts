/** Texts of a document on a terminal, and in the log of a CI job. */
import * as Literal from "./model/Literal.ts"

/** Control characters, halves of characters, and those that turn the direction of writing around; lines stay. */
const unsafe = /[^\P{Cc}\n]|[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** A text that moves no cursor, turns no line around, and is no command to a runner of CI: of GitHub, Azure or TeamCity. */
export const harmless = (text: string): string =>
  text
    .replace(unsafe, "\ufffd")
    .replace(/##(\w*\[)/g, "\ufffd#$1")
    .split("\n")
    .map((line) => (line.trimStart().startsWith("::") ? line.replace("::", "\ufffd:") : line))
    .join("\n")

/** A text as one line, whatever is in it. */
export const line = (text: string): string => `${text.replaceAll("\n", "\ufffd")}\n`

/** A value as JSON that {@link harmless} leaves as it is. */
export const json = (value: unknown): string => `${Literal.json(value).replaceAll("##", "\\u0023#")}\n`
