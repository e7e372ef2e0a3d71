import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { homedir } from "node:os"
import process from "node:process"
import { variable } from "./Environment.ts"
import * as Failure from "./Failure.ts"
import { didYouMean, suggest } from "./suggest.ts"
import { unreadable } from "./unreadable.ts"

/** The settings that `login` saves: a service and one of its keys. */
const Profile = Schema.Struct({
  baseUrl: Schema.String,
  keyId: Schema.String,
  keySecret: Schema.RedactedFromValue(Schema.String, { label: "keySecret" })
})
export type Profile = typeof Profile.Type

const Document = Schema.fromJsonString(Schema.Struct({ profiles: Schema.Record(Schema.String, Profile) }))

/** A name that is one word in a shell and in a message. */
const name = /^[A-Za-z0-9][\w.-]{0,63}$/

/** `--profile`: the profile to use, which `login` and `logout` change. */
export const Selected = GlobalFlag.Setting("profile")({
  flag: Flag.String("profile").pipe(
    Flag.filter(
      (text) => name.test(text),
      () => "a name of at most 64 letters, digits, dots, dashes and underscores that starts with a letter or digit"
    ),
    Flag.optional,
    Flag.withMetavar("name"),
    Flag.withDescription("Profile to use; `login` saves it [env CLOUD_MANAGEMENT_PROFILE, default: default]")
  )
})

/** The profile from a flag or a variable; none if the default applies. */
export const asked: Effect.Effect<Option.Option<string>, Failure.Failure, typeof Selected.Identifier> = Effect.gen(
  function* () {
    const flag = yield* Selected
    if (Option.isSome(flag)) return flag
    const text = yield* variable("CLOUD_MANAGEMENT_PROFILE")
    if (Option.isNone(text) || name.test(text.value)) return text
    return yield* Failure.usage(
      `CLOUD_MANAGEMENT_PROFILE: ${JSON.stringify(text.value)} is not the name of a profile`,
      "Use only letters, digits, dots, dashes and underscores."
    )
  }
)

/** The name of the profile in use. */
export const selected = Effect.map(
  asked,
  Option.getOrElse(() => "default")
)

/** The configuration folder of the platform; on Linux it follows the XDG Base Directory Specification. */
const folder = Effect.gen(function* () {
  const path = yield* Path.Path
  const chosen = yield* variable("XDG_CONFIG_HOME")
  // the specification has a relative path ignored
  if (Option.isSome(chosen) && path.isAbsolute(chosen.value)) return path.join(chosen.value, "cloud-management")
  const home = Option.getOrElse(yield* variable("HOME"), homedir)
  switch (process.platform) {
    case "darwin":
      return path.join(home, "Library", "Application Support", "cloud-management")
    case "win32":
      return path.join(
        Option.getOrElse(yield* variable("APPDATA"), () => path.join(home, "AppData", "Roaming")),
        "cloud-management"
      )
    default:
      return path.join(home, ".config", "cloud-management")
  }
})

/** The file of the profiles. */
export const file = Effect.gen(function* () {
  const path = yield* Path.Path
  return path.join(yield* folder, "profiles.json")
})

const decode = Schema.decodeUnknownEffect(Document)

/** All profiles, by name. */
export const all = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* file
  const text = yield* files.readFileString(path).pipe(
    Effect.asSome,
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeedNone
    ),
    Effect.mapError((error) => Failure.usage(`${path} ${unreadable(error)}`, "Check its permissions."))
  )
  if (Option.isNone(text)) return new Map<string, Profile>()
  // nothing of the file is quoted, since a secret is in it
  const { profiles } = yield* Effect.mapError(decode(text.value), () =>
    Failure.usage(`${path} is not a valid file of profiles`, "Remove it, and run `cloud-management login` again.")
  )
  return new Map(Object.entries(profiles))
})

const absent = (name: string, profiles: ReadonlyMap<string, Profile>, ...advice: ReadonlyArray<string>) => {
  const hint = didYouMean(suggest(name, [...profiles.keys()]))
  const lines = [...(hint === undefined ? [] : [hint]), ...advice, "`cloud-management profiles list` shows all."]
  return Failure.usage(`there is no profile ${name}`, lines.join("\n"))
}

/** An existing profile; fails if there is none. */
export const get = Effect.fnUntraced(function* (name: string) {
  const profiles = yield* all
  const profile = profiles.get(name)
  if (profile !== undefined) return profile
  return yield* absent(name, profiles, `\`cloud-management login --profile ${name}\` creates it.`)
})

/**
 * Replaces the file of the profiles with one that only its owner can read. The new file is complete before it replaces
 * the old one.
 */
const write = Effect.fnUntraced(
  function* (profiles: ReadonlyMap<string, Profile>) {
    const files = yield* FileSystem.FileSystem
    const path = yield* file
    const json = yield* Effect.orDie(Schema.encodeEffect(Document)({ profiles: Object.fromEntries(profiles) }))
    const unfinished = `${path}.${process.pid}`
    yield* files.makeDirectory(yield* folder, { recursive: true, mode: 0o700 })
    yield* files.remove(unfinished, { force: true })
    yield* files.writeFileString(unfinished, `${json}\n`, { mode: 0o600, flag: "wx" })
    yield* files.rename(unfinished, path)
  },
  (effect) =>
    Effect.catchTag(effect, "PlatformError", ({ reason }) =>
      Effect.flatMap(file, (path) =>
        Failure.usage(`${path} cannot be written (${reason._tag})`, "Check the permissions of its folder.")
      )
    ),
  Effect.uninterruptible
)

/** Saves a profile, replacing one of the same name. */
export const save = (name: string, profile: Profile) =>
  Effect.flatMap(all, (profiles) => write(new Map([...profiles, [name, profile]])))

/** Removes an existing profile; fails if there is none. */
export const remove = Effect.fnUntraced(function* (name: string) {
  const profiles = yield* all
  if (!profiles.delete(name)) return yield* absent(name, profiles)
  yield* write(profiles)
})
