import { mutations } from "./Mutation.ts"

/** What the command owes to people at a terminal. */
export const command = [
  ...mutations("cli/src/known.ts", "cli/test/waiting.test.ts > endpoints get --wait > takes a status", {
    "a status is taken in one letter case only": ["value.toLowerCase() === text.toLowerCase()", "value === text"],
    "--any-status accepts nothing more": ["if (anyIsAccepted)", "if (false)"]
  }),
  ...mutations("cli/src/request/command.ts", "cli/test/request.test.ts > request > asks before", {
    "a request that changes something is not asked for": ['!yes && method !== "GET"', 'yes && method !== "GET"']
  }),
  ...mutations("cli/src/request/command.ts", "cli/test/wrongInputs.test.ts > each of these", {
    "a path may leave its folder": [" && !dots.test(text)", ""]
  }),
  ...mutations("cli/src/progress.ts", "cli/test/progress.test.ts > a wait", {
    "a long wait is silent": ["!(verbose || line.long)", "!verbose"],
    "a short wait is reported": ["!(verbose || line.long)", "false"]
  }),
  ...mutations("cli/src/Connection.ts", "cli/test/progress.test.ts > a call > ends at", {
    "--timeout limits nothing": ["deadline: { total,", "deadline: { total: Duration.minutes(5),"]
  }),
  ...mutations("cli/src/echo.ts", "cli/test/echo.test.ts > what a service sends > is not shown when it repeats", {
    "escapes of punctuation hide the secret": ["[part, once, decode(once)]", "[part]"],
    "escapes of escapes hide the secret": ["[part, once, decode(once)]", "[part, once]"]
  }),
  ...mutations("cli/src/Failure.ts", "cli/test/progress.test.ts > a call > ends at", {
    "a timeout names the limit of its last attempt": ["if (call === undefined)", "if (call !== null)"]
  }),
  ...mutations("cli/src/completions.ts", "cli/test/completions.test.ts > in a real shell", {
    "global flags are not completed": ["globalFlags.map((doc)", "globalFlags.slice(0, 0).map((doc)"],
    "files are not completed": ['["key-secret-file", "seed", ', "["],
    "a flag has a form that begins with no-": ["negation: false\n", ""],
    "a command to explain is completed as at the root": ["explained(below, all.subcommands)", "explained(below, [])"],
    "the value of a flag is taken for a command": [
      "path.every((name, i) => commandPath[i] === name)",
      "commandPath.join() === path.join()"
    ],
    "zsh takes the value of a flag after a command for one of the root's": ["\"$& -A '-*'\"", '"$&"']
  }),
  ...mutations("cli/src/confirm.ts", "cli/test/completions.test.ts > in a real shell", {
    "--no-yes is completed": ["  Flag.withoutNegation,\n", ""]
  }),
  ...mutations("cli/src/misuse.ts", "cli/test/wrongInputs.test.ts > each of these", {
    "a mistyped global flag gets no suggestion": ["[...flags, ...globalFlags]", "flags"],
    "a mistyped value gets no suggestion": ["suggest(error.value, choices(error.expected))", "[]"],
    "only values listed with bars get a suggestion": ["/ \\| |, | or /", "/ \\| /"]
  }),
  ...mutations("cli/src/compiled.ts", "cli/test/compiled.test.ts > the folder for compiled modules", {
    "compiled modules of another user are run": ["uid === process.getuid() && ", ""],
    "compiled modules are run that others can write": [" && (mode & 0o022) === 0", ""],
    "others can read the folder for compiled modules": [", mode: 0o700", ""],
    "a folder is made in another user's home": ["[base, join(base, ", "[join(base, "],
    "a relative XDG_CACHE_HOME is a folder for compiled modules": ["isAbsolute(chosen)", 'chosen !== ""']
  }),
  ...mutations("cli/src/table.ts", "cli/test/table.test.ts", {
    "a table is wider than the terminal": ["displayWidth(line) <= width)", "displayWidth(line) <= Infinity)"]
  }),
  ...mutations("cli/src/seeding.ts", "cli/test/wrongInputs.test.ts > each of these", {
    "a seed in another encoding is mangled": [
      'Utf8.decode(bytes, refusal("is not UTF-8 text"))',
      "Stream.decodeText(bytes)"
    ]
  }),
  ...mutations("cli/src/request/run.ts", "cli/test/request.test.ts > request > refuses content", {
    "content in another encoding is mangled": [
      'Utf8.decode(bytesOf(path), not("UTF-8 text"))',
      "Stream.decodeText(bytesOf(path))"
    ]
  }),
  ...mutations("cli/src/Profile.ts", "cli/test/profiles.test.ts > the file of the profiles", {
    "of two changes to profiles at once, one is lost": ["    yield* lock\n", ""],
    "a linked file of profiles keeps a secret that logout removed": [
      "Effect.catchIf(files.realPath(path), isMissing, () => end(path))",
      "Effect.succeed(path)"
    ]
  }),
  ...mutations("cli/src/admin/arguments.ts", "cli/test/admin.test.ts > admin > refuses an empty new name", {
    "a name can be emptied": ["  Flag.filter(isName, expectedName),\n", ""]
  }),
  ...mutations("cli/src/database.ts", "cli/test/rights.test.ts > a user of PostgreSQL", {
    "a denied right names no remedy": ['case "42501":', 'case "-42501":']
  })
]
