/** The CycloneDX SBOM of each published package: the part of what pnpm knows about the workspace that the package brings. */
import { Spec, Validation } from "@cyclonedx/cyclonedx-library"
import { randomUUID } from "node:crypto"

/** A package of npm, with its license and the hash of its tarball. */
export interface Component {
  readonly type: string
  readonly name: string
  readonly "bom-ref": string
  readonly purl: string
  readonly version: string
  readonly scope?: "required" | "optional"
  readonly licenses?: ReadonlyArray<unknown>
  readonly externalReferences?: ReadonlyArray<{
    readonly type: string
    readonly url: string
    readonly hashes?: ReadonlyArray<unknown>
  }>
}

/** The parts of a CycloneDX document, of version 1.7, that are of interest here. */
export interface Bom {
  readonly serialNumber: string
  readonly metadata: { readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

interface Named {
  readonly name: string
  readonly version: string
}

/** What a package needs, as its package.json says. */
interface Manifest extends Named {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** What identifies a package (https://github.com/package-url/purl-spec), and what pnpm refers to it by. */
export const purl = ({ name, version }: Named) => `pkg:npm/${name.replace("@", "%40")}@${version}`

/** Makes SBOMs of the packages with these manifests, from that of the workspace with all its tools. */
export const make = (all: Bom, manifests: ReadonlyArray<Manifest>) => {
  const components = new Map(all.components.map((component) => [component["bom-ref"], component]))
  const edges = new Map(all.dependencies.map(({ dependsOn, ref }) => [ref, dependsOn]))
  const ours = new Map(manifests.map((manifest) => [purl(manifest), manifest]))
  // the catalog gives all packages of the workspace the same version of a dependency, which their ranges begin with; what a
  // package needs itself, pnpm does not always say, since packages test one another
  const used = [...ours.keys(), ...[...ours.keys()].flatMap((ref) => edges.get(ref) ?? [])]

  const find = (name: string, range: string) => {
    const refs = [...used, ...components.keys()].filter((ref) => ref.startsWith(purl({ name, version: "" })))
    const ref = refs.find((ref) => range.includes(ref.slice(ref.lastIndexOf("@") + 1))) ?? refs[0]
    if (ref === undefined) throw new Error(`pnpm does not know ${name}`)
    return ref
  }
  const isOptional = ({ peerDependenciesMeta = {} }: Manifest, name: string) =>
    peerDependenciesMeta[name]?.optional === true

  /** What a package needs, or only some of its modules do. Of ours, pnpm also knows what their tests need. */
  const needs = (ref: string, optional: boolean): ReadonlyArray<string> => {
    const manifest = ours.get(ref)
    if (manifest === undefined) return optional ? [] : (edges.get(ref) ?? [])
    return Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter(([name]) => isOptional(manifest, name) === optional)
      .map(([name, range]) => find(name, range))
  }
  const closure = (roots: ReadonlyArray<string>, optional: boolean) => {
    const found = new Set(roots)
    for (const ref of found) {
      for (const other of [...needs(ref, false), ...(optional ? needs(ref, true) : [])]) found.add(other)
    }
    return found
  }

  const bom = (
    manifest: Manifest,
    parts: ReadonlyMap<string, Partial<Component>>,
    dependsOn: (ref: string) => ReadonlyArray<string>
  ): Bom => {
    const get = (ref: string) => {
      const component = components.get(ref)
      if (component === undefined) throw new Error(`pnpm does not know ${ref}`)
      return component
    }
    const root = purl(manifest)
    return {
      ...all,
      serialNumber: `urn:uuid:${randomUUID()}`,
      metadata: { ...all.metadata, component: get(root) },
      components: [...parts].map(([ref, more]) => ({ ...get(ref), ...more })),
      dependencies: [root, ...parts.keys()].map((ref) => ({
        ref,
        dependsOn: dependsOn(ref).filter((other) => parts.has(other))
      }))
    }
  }

  return {
    /** Of a library: what npm installs with it, and as optional what it asks for when a module needs it. */
    library: (manifest: Manifest): Bom => {
      const root = purl(manifest)
      const required = closure([root], false)
      const parts = [...closure([root], true)].filter((ref) => ref !== root)
      return bom(
        manifest,
        new Map(parts.map((ref) => [ref, { scope: required.has(ref) ? "required" : "optional" } as const])),
        (ref) => [...needs(ref, false), ...needs(ref, true)]
      )
    },
    /** Of a command in one piece: what is in it. */
    command: (manifest: Manifest, parts: ReadonlyArray<Named>, vendored: Named & { readonly license: string }): Bom => {
      const root = purl(manifest)
      const refs = parts.map(purl).filter((ref) => ref !== root)
      // pnpm knows that they are for development, since the package that is published has no dependencies
      const required = new Map(refs.map((ref) => [ref, { scope: "required" } as const]))
      const { components, dependencies, metadata, ...rest } = bom(manifest, required, (ref) =>
        ref === root ? refs : [...needs(ref, false), ...needs(ref, true)]
      )
      const { license, name, version } = vendored
      const ref = purl(vendored)
      const within = {
        type: "library",
        name,
        version,
        purl: ref,
        "bom-ref": ref,
        scope: "required",
        licenses: [{ license: { id: license } }]
      } as const
      return {
        ...rest,
        metadata: { ...metadata, component: { ...metadata.component, type: "application" } },
        components: [...components, within],
        dependencies: [...dependencies, { ref, dependsOn: [] }]
      }
    }
  }
}

const schema = new Validation.JsonStrictValidator(Spec.Version.v1dot7)

/** What a package's SBOM in JSON lacks: it has to follow CycloneDX's schema and to have all that the package needs. */
export const problems = async (manifest: Manifest, json: string): Promise<ReadonlyArray<string>> => {
  const invalid = await schema.validate(json)
  if (invalid !== null) return [`its SBOM is not CycloneDX 1.7: ${JSON.stringify(invalid)}`]
  const { components, metadata }: Bom = JSON.parse(json)
  const has = (name: string) => components.some(({ purl: one }) => one.startsWith(purl({ name, version: "" })))
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const foreign = components.filter(({ purl }) => !purl.startsWith("pkg:npm/%40cloud-management/"))
  return [
    ...(metadata.component.purl === purl(manifest) ? [] : [`its SBOM is that of ${metadata.component.purl}`]),
    ...needed.filter((name) => !has(name)).map((name) => `its SBOM lacks ${name}`),
    ...components
      .filter(({ licenses }) => licenses === undefined)
      .map(({ purl }) => `its SBOM has ${purl} without a license`),
    ...foreign
      .filter(
        ({ externalReferences = [], purl }) => !isVendored(purl) && !externalReferences.some(({ hashes }) => hashes)
      )
      .map(({ purl }) => `its SBOM has ${purl} without a hash`)
  ]
}
/** Copied into another package, so that npm has no tarball of it. */
const isVendored = (purl: string) => purl.startsWith("pkg:npm/swagger-ui@")
