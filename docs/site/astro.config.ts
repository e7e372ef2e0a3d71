import starlight from "@astrojs/starlight"
import type { StarlightUserConfig } from "@astrojs/starlight/types"
import { defineConfig, passthroughImageService } from "astro/config"
import { fileURLToPath } from "node:url"
import starlightOpenApi, { openAPISidebarGroups } from "starlight-openapi"
import starlightTypeDoc from "starlight-typedoc"
import {
  Comment,
  Converter,
  DeclarationReflection,
  ReflectionKind,
  SignatureReflection,
  type Application,
  type Context,
  type ProjectReflection
} from "typedoc"
import service from "../../packages/service/package.json" with { type: "json" }
import { content } from "./content.ts"
import { purposes } from "./modules.ts"
import { repository, slugs } from "./pages.ts"
import { ranking } from "./ranking.ts"

/** Names modules as users import them: `core/Retry`, not `core/src/Retry`. */
const shortNames = (app: Application) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_: Context, reflection: DeclarationReflection) => {
    if (reflection.kind === ReflectionKind.Module)
      reflection.name = reflection.name.replace(/^packages\/(\w+)\/src\/(?:(?:frame|cloud|sql)\/)?/, "$1/")
  })
}

const atEnd = (change: (project: ProjectReflection) => void) => (app: Application) =>
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }: Context) => change(project))

const summaries = atEnd((project) => {
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const text = purposes.get(module.name)
    if (text === undefined) throw new Error(`docs/site/modules.ts does not say what ${module.name} is for`)
    module.comment = new Comment([{ kind: "text", text: `${text}.` }])
  }
})

/** Says what a function does at the first of its signatures alone. */
const overloads = atEnd(({ reflections }) => {
  for (const reflection of Object.values(reflections)) {
    if (!(reflection instanceof DeclarationReflection)) continue
    const [first, ...others] = reflection.signatures ?? []
    const text = Comment.combineDisplayParts(first?.comment?.summary)
    for (const one of others) if (Comment.combineDisplayParts(one.comment?.summary) === text) delete one.comment
  }
})

/** Links the documents that comments name as files. */
const links = atEnd(({ reflections }) => {
  for (const { comment } of Object.values(reflections)) {
    const parts = [comment?.summary ?? [], ...(comment?.blockTags ?? []).map(({ content }) => content)]
    for (const part of parts.flat()) {
      const slug = part.kind === "code" ? slugs.get(part.text.replaceAll("`", "")) : undefined
      if (slug !== undefined) Object.assign(part, { kind: "text", text: `[${slug}](/${slug}/)` })
      else if (part.kind === "text")
        part.text = part.text.replace(/\bspecification(?=, section)/, "[$&](/specification/)")
    }
  }
})

/** Members of a dependency have no source in the repository, and those of an expression that a class extends no page. */
const ownSources = atEnd(({ reflections }) => {
  for (const reflection of Object.values(reflections)) {
    if (!(reflection instanceof DeclarationReflection || reflection instanceof SignatureReflection)) continue
    if (reflection.inheritedFrom?.reflection === undefined) delete reflection.inheritedFrom
    if (reflection.overwrites?.reflection === undefined) delete reflection.overwrites
    const own = reflection.sources?.filter(({ fileName }) => !fileName.startsWith("node_modules/")) ?? []
    if (own.length > 0) reflection.sources = own
    else delete reflection.sources
  }
})

const group = (label: string, items: NonNullable<StarlightUserConfig["sidebar"]>) => ({ label, items })

const written = [
  group("Start", ["your-api", "http-api", "own-operations", { slug: "start", label: "This API" }]),
  group("Guides", [
    "errors",
    "own-errors",
    { slug: "reliability", label: "Retries and deadlines" },
    "credentials",
    "calls",
    "pages",
    "uploads",
    "promise",
    "nextjs",
    { slug: "react", label: "React" },
    "hono-express",
    "jest-vitest",
    "testing",
    "recording",
    "observability",
    "transports",
    "browser",
    "edge",
    "pacing",
    "waiting",
    "limits",
    "compatibility",
    "moving"
  ]),
  group("Operate", [
    "service",
    { slug: "operations", label: "Serve" },
    { link: "/operations/#databases", label: "Databases" },
    { slug: "cluster", label: "Cluster" },
    { link: "/cluster/#a-database-that-fails-over", label: "Failover" },
    { link: "/operations/#audit", label: "Audit" },
    "threat-model",
    "security"
  ])
]
const reference = ["client", "core", "node", "browser", "promise", "generator", "testing", "service", "cli"].map(
  (name) => `packages/${name}`
)
const project = ["architecture", "specification", "comparison", "performance", "contributing", "changes"]

/** Documents that no group names yet come last, so that none is missing. */
const slugOf = (item: unknown): unknown =>
  typeof item === "object" && item !== null && "slug" in item ? item.slug : item
const placed = new Set([...written.flatMap(({ items }) => items), ...reference, ...project].map(slugOf))
const others = [...slugs.values()].filter((slug) => slug !== "" && !slug.startsWith("decisions/") && !placed.has(slug))

const typedPackages = ["client", "core", "node", "browser", "promise", "testing", "service"]

export default defineConfig({
  // absolute links, as in llms.txt, begin with it
  site: process.env["SITE_URL"] ?? "http://localhost:4321",
  image: { service: passthroughImageService() },
  vite: {
    worker: { format: "es" },
    // of the programs of the home page, which a page runs without an environment
    define: { "process.env.TOKEN": '"any"' },
    resolve: {
      alias: [
        {
          find: /^@cloud-management\/node$/,
          replacement: fileURLToPath(new URL("src/try/NodeTransport.ts", import.meta.url))
        }
      ]
    }
  },
  integrations: [
    content,
    starlight({
      title: "Cloud Management",
      description: "A client of your API that knows whether a failed call took effect, for Effect and for promises",
      social: [{ icon: "github", label: "GitHub", href: repository }],
      pagefind: { ranking },
      customCss: ["./src/site.css"],
      components: { Head: "./src/components/Head.astro" },
      routeMiddleware: "./src/menu.ts",
      plugins: [
        starlightTypeDoc({
          entryPoints: [
            `../../packages/{${typedPackages.join(",")}}/src/*.ts`,
            // its other files are its own
            ...Object.values(service.exports)
              .filter((file) => /\/[A-Z]\w*\.ts$/.test(file))
              .map((file) => `../../packages/service/${file}`)
          ],
          tsconfig: "tsconfig.typedoc.json",
          typeDoc: {
            // {path} below begins here too
            displayBasePath: "../..",
            exclude: ["**/index.ts"],
            entryFileName: "index",
            excludeExternals: true,
            disableGit: true,
            gitRevision: "main",
            expandParameters: true,
            parametersFormat: "table",
            plugin: [shortNames, summaries, overloads, links, ownSources],
            router: "module",
            // tsc has checked the sources
            skipErrorChecking: true,
            sourceLinkTemplate: `${repository}/blob/main/{path}#L{line}`,
            useCodeBlocks: true
          }
        }),
        starlightOpenApi([{ base: "openapi", schema: "../openapi.json" }])
      ],
      sidebar: [
        ...written,
        { label: "Fault lab", link: "/lab/" },
        group("Reference", [
          { slug: "api", label: "Modules" },
          ...reference,
          ...typedPackages.map((name) => ({
            label: `API of ${name}`,
            collapsed: true,
            items: [{ autogenerate: { directory: `api/${name}` } }]
          })),
          ...openAPISidebarGroups
        ]),
        group("Project", [
          ...project,
          { label: "Decisions", collapsed: true, items: [{ autogenerate: { directory: "decisions" } }] },
          ...others
        ])
      ]
    })
  ]
})
