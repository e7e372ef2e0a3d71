import { resolve } from "node:path"

export default {
  mode: "production",
  entry: "./dist/page.js",
  output: { path: resolve("dist"), filename: "bundle.js" }
}
