import { describe, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { consumers } from "../../../checks/ecosystem/consumers.ts"

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")
const readme = read("packages/service/README.md")

const commands = [...readme.matchAll(/^ {4}(npm install [^#\n]+)/gm)].map(([, command = ""]) => command.trim())

describe("README.md", () => {
  it("shows the program that npm run check ecosystem runs", () => {
    expect(/^```ts\n([^]*?)^```$/m.exec(readme)?.[1]).toBe(read("checks/ecosystem/programs/serve.ts"))
  })

  it("installs what that program was given", () => {
    const installed = new Set(commands.flatMap((command) => command.split(/ +/).slice(2)))
    // client and core come with service, once they are published
    const { needs = [] } = consumers.find(({ name }) => name === "service, on Node") ?? {}
    const given = needs
      .filter((name) => name !== "client" && name !== "core")
      .map((name) => name.replace(/^service$/, "@cloud-management/$&"))
    expect([...installed].toSorted()).toEqual(given.toSorted())
  })

  it.each([["Database", "internal/sqlClient"]])("has the command that %s asks for without its driver", (_, module) => {
    const [command] = /npm install [^"]+/.exec(read(`packages/service/src/node/${module}.ts`)) ?? []
    expect(commands).toContain(command)
  })
})
