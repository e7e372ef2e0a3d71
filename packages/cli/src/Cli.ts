import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Logger, Option, Stdio } from "effect"
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import process from "node:process"
import { admin } from "./admin/command.ts"
import { demo } from "./demo/command.ts"
import * as Failure from "./output/Failure.ts"
import * as Format from "./output/Format.ts"
import * as Install from "./help/install.ts"
import * as Help from "./help/help.ts"
import { version } from "./version.ts"
import * as Logging from "./output/Logging.ts"
import { login } from "./profile/login.ts"
import { logout } from "./profile/logout.ts"
import { commands as operations } from "./operations/commands.ts"
import * as Misuse from "./help/misuse.ts"
import { profiles } from "./profile/profiles.ts"
import { request } from "./request/command.ts"
import { serve } from "./serve/command.ts"
import * as Setting from "./input/setting.ts"
import * as Variables from "./input/variables.ts"
import { whoami } from "./profile/whoami.ts"

/** `cloud-management help COMMAND`, the same as `cloud-management COMMAND --help`. */
const help = Command.make(
  "help",
  {
    command: Argument.String("COMMAND").pipe(
      Argument.variadic(),
      Argument.withDescription("Command to explain, such as keys delete")
    )
  },
  ({ command: words }): Effect.Effect<void, Error, Command.Environment> =>
    Effect.suspend(() => {
      const { command, count } = follow(words)
      if (count === words.length || hasMore(command)) return runWith(honest([...words, "--help"]))
      // beside --help, a command may have arguments; here, all words name it
      const path = ["cloud-management", ...words.slice(0, count)].join(" ")
      return Failure.usage(`${path} has no subcommand ${JSON.stringify(words[count])}`, `See ${path} --help.`)
    })
).pipe(
  Command.withDescription("Explain a command"),
  Command.withExamples([
    { command: "cloud-management help keys delete", description: "Same as cloud-management keys delete --help" }
  ])
)

const versionCommand = Command.make("version", {}, () =>
  Format.print({ version }, () => [`cloud-management v${version}`])
).pipe(
  Command.withDescription("Show the version"),
  Command.withExamples([{ command: "cloud-management version --format json" }])
)

const completionsCommand = Command.make(
  "completions",
  {
    shell: Argument.Literals("SHELL", Install.shells).pipe(Argument.withDescription("bash, zsh or fish")),
    install: Flag.Boolean("install").pipe(
      Flag.withoutNegation,
      Flag.withDefault(false),
      Flag.withDescription("Install them for this user in place of printing them")
    )
  },
  Effect.fnUntraced(function* ({
    install,
    shell
  }): Effect.fn.Return<void, Error, Command.Environment | Effect.Services<typeof Format.Format>> {
    const { script } = yield* Effect.promise(() => import("./help/completions.ts"))
    const text = script(shell, root, yield* allHelps)
    yield* install ? Install.install(shell, text) : Console.log(text)
  })
).pipe(
  Command.withDescription("Completions of commands, flags, profiles, and the IDs that were shown last"),
  Command.withExamples([{ command: "cloud-management completions bash --install" }])
)

const root = Command.make("cloud-management").pipe(
  Command.withDescription("Client and service for the Cloud Management API"),
  Command.withSubcommands([
    login,
    whoami,
    logout,
    profiles,
    ...operations,
    request,
    serve,
    admin,
    demo,
    help,
    completionsCommand,
    versionCommand
  ]),
  Command.withGlobalFlags(Format.settings),
  Command.withExamples([
    { command: "cloud-management demo", description: "Try the three operations on a temporary local service" },
    { command: "cloud-management login", description: "Verify a key, and save it with its service" },
    { command: "cloud-management organizations list", description: "Show the organization of the key" }
  ])
)

const runWith = Command.runWith(root, { version })

const below = ({ subcommands }: Command.Command.Any) => subcommands.flatMap(({ commands }) => [...commands])

const hasMore = (command: Command.Command.Any) => below(command).length > 0

/** The command that words lead to, and how many of them do. */
const follow = (words: ReadonlyArray<string>) => {
  let command: Command.Command.Any = root
  for (const [count, word] of words.entries()) {
    const next = below(command).find(({ name }) => name === word)
    if (next === undefined) return { command, count }
    command = next
  }
  return { command, count: words.length }
}

const names = new Set(below(root).map(({ name }) => name))

/** Whether arguments ask for a service. The name of an organization can be `serve` too, but it comes after its command. */
export const isServe = (args: ReadonlyArray<string>): boolean => args.find((arg) => names.has(arg)) === "serve"

/** The built-in flag, without a form that begins with `no-`. */
const plain = (flag: typeof GlobalFlag.Help) =>
  GlobalFlag.Action({ flag: Flag.withoutNegation(flag.flag), run: flag.run })

/** The built-in flag, with scripts that know all flags and their values. */
const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag.pipe(Flag.withMetavar("shell"), Flag.withDescription("Print completions")),
  run: Effect.fnUntraced(function* (shell, context): Effect.fn.Return<void> {
    if (Option.isNone(shell)) return
    const { script } = yield* Effect.promise(() => import("./help/completions.ts"))
    yield* Console.log(script(shell.value, context.command, yield* allHelps))
  })
})

const builtIns = [plain(GlobalFlag.Help), plain(GlobalFlag.Version), completions]

export const allHelps = Help.helps(root, runWith).pipe(
  Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns })),
  Effect.provide(NodeServices.layer),
  Effect.orDie
)

const informing = new Set(["--help", "-h", "--version", "-v"])

/** The arguments, without a request for help that would hide an unknown command. */
const honest = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = args.filter((arg, i) => !arg.startsWith("-") && args[i - 1] !== "--format")
  const { command, count } = follow(words)
  return count < words.length && hasMore(command) ? args.filter((arg) => !informing.has(arg)) : args
}

/** Prints requested help to stdout; other help is left to {@link report}, and passed to `remember`. */
const presenter = (width: number, remember: (help: HelpDoc) => void) =>
  CliOutput.Presenter.of({
    present: Effect.fnUntraced(function* (event) {
      switch (event._tag) {
        case "InvalidInvocation":
          return remember(event.helpDoc)
        case "Version":
          return yield* Console.log(`${event.name} v${event.version}`)
        case "Help": {
          if (event.reason === "Implicit" && event.commandPath.length > 1) return
          const { canColor } = yield* TerminalCapabilities
          yield* Console.log(Help.render(event.helpDoc, { colour: canColor, width }))
        }
      }
    })
  })

const unexpected = (message: string): Failure.Failure =>
  new Failure.Failure({ tag: "Unexpected", message, exit: "unexpected" })

/**
 * The failure that ends the process with another code than 0; `undefined` if the user only asked for help, without a
 * subcommand.
 */
const toFailure = (error: Error, help: HelpDoc | undefined): Failure.Failure | undefined => {
  if (error instanceof Failure.Failure) return error
  if (!CliError.isCliError(error)) return unexpected(error.message)
  return error._tag === "ShowHelp" ? Misuse.failure(error, help) : Failure.usage(error.message)
}

/** Warns about secrets in flags; `serve` does that in its log. */
const warn = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  if (isServe(args)) return
  const format = Format.ofArguments(args)
  for (const message of Variables.unknown(process.env)) yield* Format.warn(format, "UnknownVariable", message)
  for (const message of Setting.exposed(args)) yield* Format.warn(format, "ExposedPassword", message)
})

/** Reports a failure; a service that does not start reports it in its log if that is JSON. */
export const report = Effect.fnUntraced(function* (failure: Failure.Failure) {
  const args = yield* Stdio.Stdio.use(({ args }) => args)
  if (Format.ofArguments(args) === "json") return yield* Console.error(Failure.toJson(failure))
  if (!isServe(args) || !(yield* Logging.isJson(args)))
    return yield* Console.error(Failure.toText(failure, process.stderr.columns))
  const { advice, exit, message, tag } = failure
  const annotations = { tag, advice, exitCode: Failure.exitCodes[exit] }
  yield* Logging.as(Effect.annotateLogs(Effect.logFatal(message), annotations), "json")
})

/** The command, from its arguments to its exit code. */
export const program = Effect.gen(function* () {
  const args = yield* Stdio.Stdio.use(({ args }) => args)
  const width = yield* Format.width
  let help: HelpDoc | undefined
  yield* warn(args)
  return yield* runWith(honest(args)).pipe(
    Effect.catch((error) => {
      const failure = toFailure(error, help)
      return failure === undefined ? Effect.void : Effect.fail(failure)
    }),
    Effect.catchDefect((defect) => unexpected(`internal error: ${String(defect)}`)),
    Effect.tapError(report),
    Effect.provideService(
      CliOutput.Presenter,
      presenter(width, (doc) => (help = doc))
    ),
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns }))
  )
})
