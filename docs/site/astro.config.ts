import starlight from "@astrojs/starlight"
import type { StarlightUserConfig } from "@astrojs/starlight/types"
import { defineConfig, passthroughImageService } from "astro/config"
import { fileURLToPath } from "node:url"
import starlightLlmsTxt from "starlight-llms-txt"
import starlightOpenApi, { openAPISidebarGroups } from "starlight-openapi"
import starlightTypeDoc, { typeDocSidebarGroup } from "starlight-typedoc"
import { writeAll } from "./content.ts"
import { repository, slugs } from "./pages.ts"

await writeAll()

const described = "A typed client of the Cloud Management API for Effect and for promises, and the service itself"

/** The pages that are written by hand or generated, in their order. */
const named = [
  { label: "Start", items: ["start"] },
]

const sidebar: StarlightUserConfig["sidebar"] = [typeDocSidebarGroup, ...openAPISidebarGroups]

export default defineConfig({
  // absolute links, as in llms.txt, begin with it
  site: process.env["SITE_URL"] ?? "http://localhost:4321",
  image: { service: passthroughImageService() },
  vite: {
    worker: { format: "es" },
  },
  integrations: [
    starlight({
      title: "Cloud Management",
      description: described,
      social: [{ icon: "github", label: "GitHub", href: repository }],
      plugins: [
        starlightTypeDoc({
          entryPoints: ["../../packages/{core,node,browser,promise,testing,service}/src/*.ts", "../../packages/service/src/node/*.ts"],
          tsconfig: "tsconfig.typedoc.json",
          output: "api",
          typeDoc: {
            exclude: ["**/index.ts"],
            router: "module",
            gitRevision: "main",
            excludeExternals: true,
            excludeInternal: true,
            // tsc has checked the sources, and agrees with them
            skipErrorChecking: true
          }
        }),
        starlightOpenApi([{ base: "openapi", schema: "../openapi.json" }]),
        starlightLlmsTxt()
      ],
      sidebar
    })
  ]
})
