import { Effect, FileSystem, Option, Path, Predicate, Record, Schedule, Schema } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { GlobalFlag } from "effect/cli"
import process from "node:process"
import * as Failure from "../output/Failure.ts"
import * as Input from "../input/input.ts"
import * as Setting from "../input/setting.ts"
import * as Home from "../process/home.ts"
import { didYouMean, suggest } from "../help/suggest.ts"

const Profile = Schema.Struct({
  baseUrl: Schema.String,
  keyId: Schema.String,
  keySecret: Schema.RedactedFromValue(Schema.String, { label: "keySecret" })
})
export type Profile = typeof Profile.Type

const Document = Schema.fromJsonString(
  Schema.Struct({
    /** The profile of commands that name none; `profiles use` sets it. */
    current: Schema.optionalKey(Schema.String),
    profiles: Schema.Record(Schema.String, Profile)
  })
)

interface Stored {
  readonly current: string
  readonly profiles: ReadonlyMap<string, Profile>
}
const nothing: Stored = { current: "default", profiles: new Map() }

/** A name that is one word in a shell and in a message. */
const name = /^[A-Za-z0-9][\w.-]{0,63}$/

export const Selected = GlobalFlag.Setting("profile")({
  flag: Setting.found("profile", {
    parse: Option.liftPredicate((text: string) => name.test(text)),
    expected: "a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit",
    metavar: "name",
    description: "Profile to use; `login` saves it [env CLOUD_MANAGEMENT_PROFILE, default: that of `profiles use`]"
  })
})

const found = Effect.map(
  Effect.all({
    APPDATA: Setting.variable("APPDATA"),
    HOME: Setting.variable("HOME"),
    XDG_CONFIG_HOME: Setting.variable("XDG_CONFIG_HOME")
  }),
  (variables) => Option.fromUndefinedOr(Home.profiles(Record.getSomes(variables)))
)

export const file = Effect.flatMap(found, (file) =>
  Option.isSome(file)
    ? Effect.succeed(file.value)
    : Failure.usage(
        "there is no folder for profiles, because this user has no home",
        "Set HOME or XDG_CONFIG_HOME to an absolute path."
      )
)

/** A home that is no folder, such as /dev/null, has no profiles. */
const isMissing = ({ reason }: PlatformError) => reason._tag === "NotFound" || Input.codeOf(reason) === "ENOTDIR"

const stored = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = Option.getOrUndefined(yield* found)
  if (path === undefined) return nothing
  const text = yield* files.readFileString(path).pipe(
    Effect.asSome,
    Effect.catchIf(isMissing, () => Effect.succeedNone),
    Effect.mapError((error) => Failure.usage(`${path} ${Input.unreadable(error)}`, "Check its permissions."))
  )
  if (Option.isNone(text)) return nothing
  // nothing of the file is quoted, since a secret is in it
  const { current = nothing.current, profiles } = yield* Effect.mapError(
    Schema.decodeEffect(Document)(text.value),
    () => Failure.usage(`${path} is not a valid file of profiles`, "Remove it, and run `cloud-management login` again.")
  )
  return { current, profiles: new Map(Object.entries(profiles)) }
})

export const all = Effect.map(stored, ({ profiles }) => profiles)

export const selected = Effect.flatMap(Selected, (given) =>
  Option.isSome(given) ? Effect.succeed(given.value.value) : Effect.map(stored, ({ current }) => current)
)

const absent = (name: string, profiles: ReadonlyMap<string, Profile>, ...advice: ReadonlyArray<string>) => {
  const hint = didYouMean(suggest(name, [...profiles.keys()]))
  const lines = [...hint, ...advice, "`cloud-management profiles list` shows all."]
  return Failure.usage(`there is no profile ${name}`, lines.join("\n"))
}

export const get = Effect.fnUntraced(function* (name: string) {
  const profiles = yield* all
  const profile = profiles.get(name)
  if (profile !== undefined) return profile
  return yield* absent(name, profiles, `\`cloud-management login --profile ${name}\` creates it.`)
})

/** Where a link leads whose file is missing, and otherwise the path itself. */
const end: (path: string) => Effect.Effect<string, PlatformError, FileSystem.FileSystem | Path.Path> =
  Effect.fnUntraced(function* (from) {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const link = yield* Effect.option(files.readLink(from))
    if (Option.isNone(link)) return from
    return yield* end(path.resolve(yield* files.realPath(path.dirname(from)), link.value))
  })

/** The new file is complete before it replaces the old one; behind a link, it replaces the linked file. */
const write = Effect.fnUntraced(function* ({ current, profiles }: Stored) {
  const files = yield* FileSystem.FileSystem
  const path = yield* file
  const json = yield* Effect.orDie(
    Schema.encodeEffect(Document)({
      ...(current !== nothing.current && { current }),
      profiles: Object.fromEntries(profiles)
    })
  )
  const target = yield* Effect.catchIf(files.realPath(path), isMissing, () => end(path))
  const unfinished = `${target}.${process.pid}`
  const remove = files.remove(unfinished, { force: true })
  yield* remove
  yield* files.writeFileString(unfinished, `${json}\n`, { mode: 0o600, flag: "wx" }).pipe(
    Effect.andThen(files.rename(unfinished, target)),
    Effect.onError(() => Effect.ignore(remove))
  )
})

/** Calls SQLite; the error is whether somebody else has the lock. */
const sqlite = <A>(call: () => A) =>
  Effect.try({ try: call, catch: (error) => Predicate.hasProperty(error, "errcode") && error.errcode === 5 })

const locked = Failure.make(
  "transient",
  "ProfilesLocked",
  "another command has been changing the profiles for 10 seconds",
  "End it, or try again when it has ended."
)

/** A lock of the operating system, which ends with its process. A file system without locks has none. */
const lock = Effect.flatMap(file, (profiles) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"))
    const database = yield* Effect.acquireRelease(
      sqlite(() => new DatabaseSync(path.join(path.dirname(profiles), "profiles.lock"))),
      (database) => Effect.sync(() => database.close())
    )
    yield* Effect.retry(
      sqlite(() => database.exec("BEGIN EXCLUSIVE")),
      { while: (isBusy) => isBusy, times: 200, schedule: Schedule.spaced("50 millis") }
    )
  }).pipe(
    Effect.interruptible,
    Effect.catch((isBusy) => (isBusy ? locked : Effect.void))
  )
)

/** Changes the profiles. Processes that do this at once wait for one another. */
const change = Effect.fnUntraced(
  function* (f: (stored: Stored) => Stored) {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* files.makeDirectory(path.dirname(yield* file), { recursive: true, mode: 0o700 })
    yield* lock
    yield* write(f(yield* stored))
  },
  (effect) =>
    Effect.catchTag(effect, "PlatformError", ({ reason }) =>
      Effect.flatMap(file, (path) =>
        Failure.usage(
          `${path} cannot be written (${Input.codeOf(reason)})`,
          reason._tag === "PermissionDenied"
            ? "Check the permissions of its folder."
            : "Check its folder, and that the disk has free space."
        )
      )
    ),
  Effect.scoped,
  Effect.uninterruptible
)

export const save = (name: string, profile: Profile) =>
  change(({ current, profiles }) => ({ current, profiles: new Map([...profiles, [name, profile]]) }))

export const use = (name: string) => Effect.flatMap(get(name), () => change((stored) => ({ ...stored, current: name })))

/** Removes an existing profile, and returns the one that takes its place, if it was in use; fails if there is none. */
export const remove = Effect.fnUntraced(function* (name: string) {
  const { current, profiles } = yield* stored
  if (!profiles.has(name)) return yield* absent(name, profiles)
  yield* change(({ current, profiles }) => ({
    current: current === name ? nothing.current : current,
    profiles: new Map([...profiles].filter(([other]) => other !== name))
  }))
  return current === name && name !== nothing.current && profiles.has(nothing.current) ? nothing.current : undefined
})
