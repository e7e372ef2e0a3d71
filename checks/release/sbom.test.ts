import { describe, expect, it } from "@effect/vitest"
import * as Sbom from "./sbom.ts"

const component = (name: string): Sbom.Component => ({
  type: "library",
  name,
  version: "1.0.0",
  purl: Sbom.purl({ name, version: "1.0.0" }),
  "bom-ref": Sbom.purl({ name, version: "1.0.0" }),
  licenses: [{ license: { id: "MIT" } }],
  externalReferences: [
    { type: "distribution", url: "https://example.com", hashes: [{ alg: "SHA-512", content: "a".repeat(128) }] }
  ]
})
const ref = (name: string) => Sbom.purl({ name, version: "1.0.0" })

/** What pnpm says of a workspace: `service` is tested with `vitest`, and needs `redis` by way of an optional driver. */
const edges: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: ["effect"],
  service: ["core", "effect", "driver", "hashes", "vitest"],
  command: ["core", "service", "effect", "driver"],
  driver: ["effect", "redis"],
  hashes: [],
  effect: [],
  redis: [],
  vitest: ["hashes"]
}
const workspace = {
  bomFormat: "CycloneDX",
  specVersion: "1.7",
  serialNumber: "urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79",
  version: 1,
  metadata: { timestamp: "2026-01-01T00:00:00.000Z", component: component("root") },
  components: Object.keys(edges).map(component),
  dependencies: Object.entries(edges).map(([name, others]) => ({ ref: ref(name), dependsOn: others.map(ref) }))
}

const manifest = (name: string, more: object = {}) => ({ name, version: "1.0.0", exports: {}, ...more })
const core = manifest("core", { peerDependencies: { effect: "^1.0.0" } })
const service = manifest("service", {
  dependencies: { core: "workspace:^", hashes: "^1.0.0" },
  peerDependencies: { effect: "^1.0.0", driver: "^1.0.0" },
  peerDependenciesMeta: { driver: { optional: true } }
})
const command = manifest("command")
const sboms = Sbom.make(workspace, [core, service, command])
const scopes = ({ components }: Sbom.Bom) =>
  Object.fromEntries(components.map(({ purl, scope }) => [purl.replace(/^pkg:npm\/|@[\d.]+$/g, ""), scope]))
const edgesOf = ({ dependencies }: Sbom.Bom, name: string) =>
  dependencies.find((one) => one.ref === ref(name))?.dependsOn

describe("the SBOM", () => {
  it("of a library has what npm installs with it, and as optional what some of its modules need", () => {
    const bom = sboms.library(service)
    expect(scopes(bom)).toEqual({
      core: "required",
      effect: "required",
      hashes: "required",
      driver: "optional",
      redis: "optional"
    })
    expect(bom.metadata.component.purl).toBe("pkg:npm/service@1.0.0")
    expect(edgesOf(bom, "service")).toEqual(["core", "hashes", "effect", "driver"].map(ref))
    expect(edgesOf(bom, "driver")).toEqual(["effect", "redis"].map(ref))
  })

  it("of a command in one piece has what is in it, and what that holds of others", () => {
    const vendored = { name: "swagger-ui", version: "5.0.0", license: "Apache-2.0" }
    const bom = sboms.command(command, [command, core, service, { name: "effect", version: "1.0.0" }], vendored)
    expect(scopes(bom)).toEqual({
      core: "required",
      service: "required",
      effect: "required",
      "swagger-ui": "required"
    })
    expect(bom.metadata.component).toMatchObject({ type: "application", purl: "pkg:npm/command@1.0.0" })
    expect(edgesOf(bom, "service")).toEqual(["core", "effect"].map(ref))
  })

  it("has a number of its own", () => {
    expect(sboms.library(core).serialNumber).not.toBe(sboms.library(core).serialNumber)
  })

  it("is refused for a package that pnpm does not know", () => {
    expect(() => sboms.command(command, [{ name: "unknown", version: "1.0.0" }], { ...core, license: "MIT" })).toThrow(
      "pnpm does not know pkg:npm/unknown@1.0.0"
    )
  })
})

describe("the check of an SBOM", () => {
  const check = (change: (bom: Sbom.Bom) => object) =>
    Sbom.problems(service, JSON.stringify(change(sboms.library(service))))
  const each = (name: string, change: object) => (bom: Sbom.Bom) => ({
    ...bom,
    components: bom.components.map((one) => (one.purl === ref(name) ? { ...one, ...change } : one))
  })

  it("passes one that is complete", async () => {
    expect(await check((bom) => bom)).toEqual([])
  })

  it.each<[what: string, change: (bom: Sbom.Bom) => object, problem: RegExp]>([
    ["an unknown field", (bom) => ({ ...bom, packages: [] }), /^its SBOM is not CycloneDX 1\.7: .*"packages"/],
    ["a component without a name", each("effect", { name: undefined }), /^its SBOM is not CycloneDX 1\.7: .*"name"/],
    ["no license", each("effect", { licenses: undefined }), /^its SBOM has pkg:npm\/effect@1\.0\.0 without a license$/],
    ["no hash", each("redis", { externalReferences: [] }), /^its SBOM has pkg:npm\/redis@1\.0\.0 without a hash$/],
    [
      "no peer dependency",
      (bom) => ({ ...bom, components: bom.components.filter(({ purl }) => purl !== ref("effect")) }),
      /^its SBOM lacks effect$/
    ],
    [
      "another package's",
      (bom) => ({ ...bom, metadata: { component: component("core") } }),
      /^its SBOM is that of pkg:npm\/core@1\.0\.0$/
    ]
  ])("finds %s", async (_, change, problem) => {
    expect(await check(change)).toEqual([expect.stringMatching(problem)])
  })
})
