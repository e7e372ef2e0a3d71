import starlight from "@astrojs/starlight"
import { defineConfig, passthroughImageService } from "astro/config"

export default defineConfig({
  site: "https://cloud-management.github.io",
  image: { service: passthroughImageService() },
  vite: { worker: { format: "es" } },
  integrations: [starlight({ title: "Cloud Management" })]
})
