import { Console, Effect, Logger, Record, Stdio } from "effect"
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import process from "node:process"
import * as Commands from "./commands.ts"
import * as Failure from "./output/Failure.ts"
import * as Format from "./output/Format.ts"
import * as Install from "./help/install.ts"
import * as Help from "./help/help.ts"
import { version } from "./version.ts"
import * as Logging from "./output/Logging.ts"
import * as Rows from "./operations/rows.ts"
import * as Misuse from "./help/misuse.ts"
import * as Terminal from "./terminal/terminal.ts"
import * as Flags from "./input/flag.ts"
import * as Setting from "./input/setting.ts"

/** `--api`: its value is taken before the commands are made, of which it has others. */
const Api = GlobalFlag.Setting("api")({
  flag: Flag.String("api").pipe(
    Flag.optional,
    Flag.withMetavar("folder"),
    Flag.withDescription("Call the operations of a folder that cloud-management-generate wrote, in place of these")
  )
})

const help = Command.make(
  "help",
  {
    command: Argument.String("COMMAND").pipe(
      Argument.variadic(),
      Argument.withDescription("Command to explain, such as keys delete")
    )
  },
  ({ command: words }): Effect.Effect<void, Error, Command.Environment> =>
    Effect.flatMap(rootOf(words), (root) => {
      const { command, path, word } = follow(root, words)
      if (word === undefined || hasMore(command)) return runWith(root)(honest(root, [...words, "--help"]))
      // beside --help, a command may have arguments; here, all words name it
      const line = ["cloud-management", ...path].join(" ")
      return Failure.usage(`${line} has no subcommand ${JSON.stringify(word)}`, `See ${line} --help.`)
    })
).pipe(Commands.examples(["keys delete", "Same as cloud-management keys delete --help"]))

const versionCommand = Command.make("version", {}, () =>
  Format.print({ version }, () => [`cloud-management v${version}`])
).pipe(Commands.examples("--format json"))

const completionsCommand = Commands.make(
  "completions",
  {
    shell: Argument.Literals("SHELL", Install.shells).pipe(Argument.withDescription("bash, zsh, fish or powershell")),
    install: Flags.on("install", "Install them for this user in place of printing them")
  },
  function* ({
    install,
    shell
  }): Effect.fn.Return<void, Error, Command.Environment | Effect.Services<typeof Format.Format>> {
    const { script } = yield* Effect.promise(() => import("./help/completions.ts"))
    const text = script(shell, yield* whole, yield* allHelps)
    yield* install ? Install.install(shell, text) : Console.log(text)
  }
).pipe(Commands.examples("bash --install"))

/** A command as the list shows it, which its help repeats unless it has a longer text, and the module that makes it. */
const listed = <const Name extends string, Input, E, R, ContextInput>(
  summary: string,
  load: () => Promise<{ readonly command: Command.Command<Name, Input, ContextInput, E, R> }>
) => ({
  summary,
  load: Effect.map(Effect.promise(load), ({ command }) =>
    command.description === undefined
      ? Command.withDescription(command, summary)
      : Command.withShortDescription(command, summary)
  )
})

const commands = {
  login: listed("Save a service and a key for other commands", () => import("./profile/login.ts")),
  whoami: listed("Show the identity, and where each setting comes from", () => import("./profile/whoami.ts")),
  logout: listed("Remove a profile from this machine", async () => ({
    command: (await import("./profile/profiles.ts")).logout
  })),
  profiles: listed("Profiles: services and keys that `login` saves", () => import("./profile/profiles.ts")),
  ...Record.mapEntries(Rows.groups, (name, group) => [
    name,
    listed(Rows.sentence(Rows.words(group)), async () => ({
      command: (await import("./operations/commands.ts")).ofGroup(group)
    }))
  ]),
  request: listed("Send your own request through the same client", () => import("./request/command.ts")),
  serve: listed("Run the service until it is interrupted", () => import("./serve/command.ts")),
  admin: listed("Create, list and change the content of a service's database", () => import("./admin/command.ts")),
  demo: listed("Try the three operations on a temporary local service, or on yours", () => import("./demo/command.ts")),
  help: listed("Explain a command", async () => ({ command: help })),
  completions: listed("Completions of commands, flags, profiles, and the IDs that were shown last", async () => ({
    command: completionsCommand
  })),
  version: listed("Show the version", async () => ({ command: versionCommand }))
}
const names: ReadonlySet<string> = new Set(Object.keys(commands))

type Loaded = Effect.Success<(typeof commands)[keyof typeof commands]["load"]>

/** All commands. Those that some words name can run; the others are only listed, since to load all takes long. */
const rootOf = Effect.fnUntraced(function* (words: Iterable<string>) {
  const named = new Set(words)
  const subcommands = yield* Effect.forEach(
    Object.entries(commands),
    ([name, { load, summary }]): Effect.Effect<Loaded | Command.Command<string, {}, {}, never, never>> =>
      named.has(name) ? load : Effect.succeed(Command.make(name).pipe(Command.withDescription(summary)))
  )
  return Command.make("cloud-management").pipe(
    Commands.described(
      "Client and service for the Cloud Management API",
      ["demo", "Try the three operations on a temporary local service"],
      ["login", "Verify a key, and save it with its service"],
      ["organizations list", "Show the organization of the key"]
    ),
    Command.withSubcommands(subcommands),
    Command.withGlobalFlags([...Format.settings, Api])
  )
})
const whole = rootOf(names)

const runWith = <Name extends string, Input, E, R>(root: Command.Command<Name, Input, {}, E, R>) =>
  Command.runWith(root, { version })

const below = ({ subcommands }: Command.Command.Any) => subcommands.flatMap(({ commands }) => [...commands])

const hasMore = (command: Command.Command.Any) => below(command).length > 0

const informing = new Set(["--help", "-h", "--version", "-v"])
const hasNoValue = new Set([...informing, "--quiet", "-q", "--verbose", "--yes", "-y"])

/** The command that arguments lead to, the first word that names none, and the others. What follows a flag is its value. */
const follow = (root: Command.Command.Any, args: ReadonlyArray<string>) => {
  let command = root
  let word: string | undefined
  const path: Array<string> = []
  const others = args.filter((arg, i) => {
    const before = args[i - 1] ?? ""
    const isValue = before.startsWith("-") && !before.includes("=") && !hasNoValue.has(before)
    if (word !== undefined || isValue || arg.startsWith("-")) return true
    const next = below(command).find(({ name }) => name === arg)
    if (next === undefined) word = arg
    else path.push(arg)
    command = next ?? command
    return next === undefined
  })
  return { command, path, word, others }
}

/** Commands come first: Effect takes the value of a flag that it does not know for one, and help would hide an unknown one. */
const honest = (root: Command.Command.Any, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { command, others, path, word } = follow(root, args)
  if (word === undefined || !hasMore(command)) return [...path, ...others]
  return [...path, word, ...others.filter((arg) => !informing.has(arg))]
}

const folderOf = (args: ReadonlyArray<string>) => Setting.given(args, "api").at(-1)

/** Whether arguments ask for a service. The name of an organization can be `serve` too, but it comes after its command. */
export const isServe = (args: ReadonlyArray<string>): boolean =>
  folderOf(args) === undefined && args.find((arg) => names.has(arg)) === "serve"

const plain = (flag: typeof GlobalFlag.Help) =>
  GlobalFlag.Action({ flag: Flag.withoutNegation(flag.flag), run: flag.run })

const config = CliConfig.make({ builtIns: [plain(GlobalFlag.Help), plain(GlobalFlag.Version)] })

export const allHelps = Effect.flatMap(whole, (root) => Help.helps(root, runWith(root))).pipe(
  Effect.provideService(CliConfig.CliConfig, config),
  Effect.provide(Terminal.layer),
  Effect.orDie
)

/** Prints requested help to stdout; other help is left to {@link report}, and passed to `remember`. */
const presenter = (width: number, isKnown: boolean, remember: (help: HelpDoc) => void) =>
  CliOutput.Presenter.of({
    present: Effect.fnUntraced(function* (event) {
      if (event._tag === "InvalidInvocation") return remember(event.helpDoc)
      if (event._tag === "Version") return yield* Console.log(`${event.name} v${event.version}`)
      if (isKnown) return yield* Console.log(Misuse.wordsAfter(event.helpDoc).join("\n"))
      if (event.reason === "Implicit" && event.commandPath.length > 1) return
      const { canColor } = yield* TerminalCapabilities
      yield* Console.log(Help.render(event.helpDoc, { colour: canColor, width }))
    })
  })

const unexpected = (message: string) => Failure.make("unexpected", "Unexpected", message)

/** `undefined` if the user only asked for help, without a subcommand. */
const toFailure = (error: Error, help: HelpDoc | undefined): Failure.Failure | undefined => {
  if (error instanceof Failure.Failure) return error
  if (!CliError.isCliError(error)) return unexpected(error.message)
  return error._tag === "ShowHelp" ? Misuse.failure(error, help) : Failure.usage(error.message)
}

/** Warns about secrets in flags; `serve` does that in its log. */
const warn = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  if (isServe(args)) return
  const format = Format.ofArguments(args)
  for (const message of Setting.unknown(process.env)) yield* Format.warnAs(format, "UnknownVariable", message)
  for (const message of Setting.exposed(args)) yield* Format.warnAs(format, "ExposedPassword", message)
})

/** Reports a warning of Node.js: as a document or an entry of the log where stderr is JSON, and otherwise as Node.js does. */
export const warning = ({ message, name }: Error, plain: () => void): void => {
  const args = process.argv.slice(2)
  const serves = isServe(args)
  const isJson = serves ? Logging.isJson(args) : Effect.succeed(Format.ofArguments(args) === "json")
  const line = serves ? Logging.as(Effect.logWarning(message), "json") : Format.warnAs("json", name, message)
  const reported = Effect.flatMap(isJson, (isJson) => (isJson ? line : Effect.sync(plain)))
  Effect.runFork(Effect.provideService(reported, Logger.LogToStderr, true))
}

/** Reports a failure; a service that does not start reports it in its log if that is JSON. */
export const report = Effect.fnUntraced(function* (failure: Failure.Failure) {
  const args = yield* Stdio.Stdio.use(({ args }) => args)
  if (Format.ofArguments(args) === "json") return yield* Console.error(Failure.toJson(failure))
  if (!isServe(args) || !(yield* Logging.isJson(args)))
    return yield* Console.error(Failure.toText(failure, process.stderr.columns))
  const { advice, exit, message, tag } = failure
  const line = Effect.annotateLogs(Effect.logFatal(message), { tag, advice, exitCode: Failure.exitCodes[exit] })
  yield* Logging.as(line, "json")
})

export const program = Effect.gen(function* () {
  const given = yield* Stdio.Stdio.use(({ args }) => args)
  // a shell asks for the words that can follow
  const isKnown = given.at(-1) === "--known"
  const args = isKnown ? given.with(-1, "--help") : given
  const width = yield* Format.width
  let help: HelpDoc | undefined
  yield* warn(args)
  const folder = folderOf(args)
  const run =
    folder === undefined
      ? Effect.flatMap(rootOf(args), (root) => runWith(root)(honest(root, args)))
      : Effect.gen(function* () {
          const { environment, rootOf } = yield* Effect.promise(() => import("./api/command.ts"))
          const root = (yield* rootOf(folder)).pipe(Command.withGlobalFlags([...Format.settings, Api]))
          return yield* Effect.provideServiceEffect(runWith(root)(honest(root, args)), ...environment)
        })
  return yield* run.pipe(
    Effect.catch((error) => {
      const failure = toFailure(error, help)
      return failure === undefined ? Effect.void : Effect.fail(failure)
    }),
    Effect.catchDefect((defect) => unexpected(`internal error: ${String(defect)}`)),
    Effect.tapError(report),
    Effect.provideService(
      CliOutput.Presenter,
      presenter(width, isKnown, (doc) => (help = doc))
    ),
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provideService(CliConfig.CliConfig, config)
  )
})
