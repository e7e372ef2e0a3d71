import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stdio from "effect/Stdio"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { admin } from "./admin/command.ts"
import { demo } from "./demo/command.ts"
import { endpoints } from "./endpoints/command.ts"
import * as Failure from "./Failure.ts"
import * as Format from "./Format.ts"
import { version } from "./version.ts"
import { keys } from "./keys/command.ts"
import { login } from "./login/command.ts"
import { logout } from "./logout/command.ts"
import { organizations } from "./organizations/command.ts"
import { profiles } from "./profiles/command.ts"
import { whoami } from "./whoami/command.ts"
import { request } from "./request/command.ts"
import { serve } from "./serve/command.ts"

const root = Command.make("cloud-management").pipe(
  Command.withDescription("Client and service of the Cloud Management API"),
  Command.withSubcommands([login, whoami, logout, profiles, organizations, keys, endpoints, request, serve, admin, demo]),
  Command.withGlobalFlags([Format.Format])
)

/** As built in, with a shorter line of help. */
const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag.pipe(Flag.withMetavar("shell"), Flag.withDescription("Print completions")),
  run: GlobalFlag.Completions.run
})

/** Help that was asked for goes to stdout; the rest is left to {@link report}. */
const presenter = CliOutput.Presenter.of({
  present: (event) =>
    event._tag === "InvalidInvocation" ||
    (event._tag === "Help" && event.reason === "Implicit" && event.commandPath.length > 1)
      ? Effect.void
      : CliOutput.defaultPresenter.present(event)
})

/** A secret on the command line: nothing of it is quoted back. */
const isSecretFlag = (error: CliError.CliError) =>
  error._tag === "UnrecognizedOption" && /^--(key-?)?(secret|password)$/i.test(error.option)

const unexpected = (message: string): Failure.Failure =>
  new Failure.Failure({ tag: "Unexpected", message, exit: "unexpected" })

/** What ends the process otherwise than with 0; nothing when help without a subcommand was all that was asked for. */
const toFailure = (error: Error): Failure.Failure | undefined => {
  if (error instanceof Failure.Failure) return error
  if (!CliError.isCliError(error)) return unexpected(error.message)
  if (error._tag !== "ShowHelp") return Failure.usage(error.message)
  const command = error.commandPath.join(" ")
  const advice = `See ${command} --help.`
  if (error.errors.some(isSecretFlag)) {
    return Failure.usage(
      "a secret is never a flag, since flags show in process lists: set CLOUD_MANAGEMENT_KEY_SECRET, or pass --key-secret-file PATH"
    )
  }
  if (error.errors.length > 0) return Failure.usage(error.errors.map(({ message }) => message).join("\n"), advice)
  return error.commandPath.length > 1 ? Failure.usage(`${command} needs a subcommand`, advice) : undefined
}

const report = Effect.fnUntraced(function* (failure: Failure.Failure) {
  const args = yield* Stdio.Stdio.use(({ args }) => args)
  yield* Console.error(Format.ofArguments(args) === "json" ? Failure.toJson(failure) : Failure.toText(failure))
})

/** The command, from its arguments to its exit code. */
export const program = Command.run(root, { version }).pipe(
  Effect.catch((error) => {
    const failure = toFailure(error)
    return failure === undefined ? Effect.void : Effect.fail(failure)
  }),
  Effect.catchDefect((defect) => unexpected(`a fault of this program: ${String(defect)}`)),
  Effect.tapError(report),
  Effect.provideService(CliOutput.Presenter, presenter),
  Effect.provideService(Logger.LogToStderr, true),
  Effect.provideService(
    CliConfig.CliConfig,
    CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions] })
  )
)
