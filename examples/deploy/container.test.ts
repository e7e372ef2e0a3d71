import { Child, expect, it, Program } from "../../checks/fixtures/index.ts"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chownSync, cpSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { version } from "../../packages/cli/src/version.ts"

const make = Effect.fnUntraced(function* (program: string) {
  const folder = yield* Child.folder()
  const global = [`--root=${folder}/root`, `--runroot=${folder}/run`, "--storage-driver=vfs"]
  // with the rights that there are: in a container that has no right to mount, it must not ask for a user namespace
  const env = {
    PATH: process.env["PATH"] ?? "",
    BUILDAH_ISOLATION: "chroot",
    TMPDIR: folder,
    XDG_CONFIG_HOME: folder,
    _CONTAINERS_USERNS_CONFIGURED: "done"
  }
  const buildah = (...args: ReadonlyArray<string>) =>
    execFileSync(program, [...global, ...args], { env, encoding: "utf8", stdio: "pipe" }).trim()
  yield* Effect.addFinalizer(() => Effect.sync(() => buildah("rm", "--all")))
  return { buildah, env, folder }
})

/** An image with nothing but this machine's Node.js, where the base of the example has it. */
const base = ({ buildah }: Effect.Success<ReturnType<typeof make>>): string => {
  const container = buildah("from", "scratch")
  const libraries = execFileSync("ldd", [process.execPath], { encoding: "utf8" }).match(/(?<=\s)\/\S+/g) ?? []
  buildah("copy", container, realpathSync(process.execPath), "/nodejs/bin/node")
  for (const library of libraries) buildah("copy", container, realpathSync(library), library)
  buildah("commit", "--rm", container, "localhost/node")
  return "localhost/node"
}

Program.suite(["buildah"], (path) =>
  it.live.runIf(process.getuid?.() === 0)(
    "the container file makes an image that runs without rights, and can write nothing but its volume",
    function* () {
      const machine = yield* make(path("buildah"))
      const { buildah, env, folder } = machine
      const command = process.env["COMMAND"] ?? expect.unreachable("the command was not built")
      cpSync(dirname(command), `${folder}/package/dist`, { recursive: true })
      const file = ["--file=examples/deploy/Containerfile", `--build-arg=BASE=${base(machine)}`]
      buildah("build", ...file, "--pull-never", "--tag=localhost/cloud-management", `${folder}/package`)

      const { OCIv1 } = JSON.parse(buildah("inspect", "--type=image", "localhost/cloud-management"))
      const { Cmd, Entrypoint, StopSignal, User } = OCIv1.config
      expect({ Cmd, StopSignal, User }).toEqual({ Cmd: ["serve"], StopSignal: "SIGTERM", User: "65532:65532" })
      const container = buildah("from", "--pull-never", "localhost/cloud-management")
      const root = buildah("mount", container)

      // without the right to mount, as in most containers, buildah cannot run a program; chroot can
      const inside = [`--userspec=${User}`, root, ...Entrypoint]
      const [node = ""] = Entrypoint
      const run = (...args: ReadonlyArray<string>) =>
        execFileSync("chroot", [`--userspec=${User}`, root, ...args], { env, encoding: "utf8", stdio: "pipe" }).trim()

      expect(run(...Entrypoint, "--version")).toBe(`cloud-management v${version}`)
      expect(run(node, "-p", "[process.getuid(), process.getgid(), ...process.getgroups()].join()")).toMatch(
        /^65532,65532(,65532)?$/
      )
      const attempts = `["/file", "/app/file", "/app/main.js", "/nodejs/file"].map((path) => {
        try { fs.appendFileSync(path, "x"); return "written" } catch ({ code }) { return code }
      }).join()`
      expect(run(node, "-p", attempts)).toBe("EACCES,EACCES,EACCES,EACCES")

      // a volume, and keys in no order: to take them back, SQLite keeps more than it does without a temporary file
      const apiKeys = Array.from({ length: 1000 }, () => ({ id: randomUUID(), name: "", secret: "secret" }))
      mkdirSync(`${root}/data`)
      chownSync(`${root}/data`, 65_532, 65_532)
      writeFileSync(`${root}/seed.json`, JSON.stringify({ organizations: [{ id: randomUUID(), name: "", apiKeys }] }))
      const serve = ["serve", "--port=0", "--format=json", "--database=/data/cloud.db", "--seed=/seed.json"]
      const child = yield* Child.program("chroot", [...inside, ...serve], env)
      const [, port] = yield* child.until("stdout", /"url":"http:\/\/[^"]*:(\d+)"/)
      const url = `http://127.0.0.1:${port}`
      expect((yield* Effect.promise(() => fetch(`${url}/ready`))).status).toBe(200)
      expect((yield* Effect.promise(() => fetch(`${url}/v1/organizations`))).status).toBe(401)
      const { code, stderr } = yield* child.stop
      expect(code).toBe(0)
      expect(stderr).toMatch(/^\{"time":.*"message":"listening"/m)
    },
    180_000
  )
)
