/** Projects of users, as data: one for each kind that installs, resolves, compiles, bundles or runs in a way of its own. */
import { readFileSync } from "node:fs"
import * as Stranger from "../release/stranger.ts"

export const manifest = (path: string) => Stranger.manifest(readFileSync(path, "utf8"))

const range = manifest("packages/core/package.json").peerDependencies?.["effect"] ?? ""
const lowest = /(?<=^>=)\S+/.exec(range)?.[0] ?? ""

export interface Consumer {
  readonly name: string
  /** Its dependencies, ours by their folders. The version of each other one is in `programs/package.json`. */
  readonly needs: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  readonly versions?: Readonly<Record<string, string>>
  /** Run by npm once all is installed, if there are any: `types`, `build` and `start`. */
  readonly scripts: Readonly<Record<string, string>>
  readonly isCommonJs?: boolean
  /** The program that its compiler is given, and the options beside those of `programs/tsconfig.strict.json`. */
  readonly files?: ReadonlyArray<string>
  readonly compilerOptions?: object
  /** The page of `docs/library` whose titled code the project consists of, beside a program that starts it. */
  readonly recipe?: string
  /** The README whose program it is. */
  readonly readme?: string
  readonly page?: boolean
  readonly refused?: boolean
  readonly prints?: string
}

const onNode = ["client", "core", "node", "effect"]
const onFetch = ["browser", "client", "core", "effect"]
const promises = ["browser", "client", "core", "node", "promise"]
const bundled = { module: "esnext", moduleResolution: "bundler" }
const stripped = { module: "nodenext", noEmit: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true }
const withNode = { ...stripped, types: ["node"] }

const esm = {
  needs: onNode,
  tools: ["typescript"],
  files: ["undici.ts"],
  compilerOptions: stripped,
  scripts: { types: "tsc", start: "node undici.ts" }
}
const commonJs = {
  ...esm,
  isCommonJs: true,
  compilerOptions: { module: "nodenext" },
  scripts: { build: "tsc", start: "node dist/undici.js" }
}
const page = { needs: onFetch, files: ["page.ts"], compilerOptions: bundled, page: true }
const promise = {
  needs: promises,
  tools: ["typescript"],
  files: ["promise.ts"],
  compilerOptions: stripped,
  scripts: { types: "tsc", start: "node promise.ts" }
}

export const serve = {
  name: "cloud-management serve",
  needs: ["cli"],
  tools: [],
  // the oldest that the command takes
  versions: { node: `${manifest("packages/cli/package.json").engines?.["node"]?.slice(2)}.0` },
  scripts: { start: "cloud-management serve --port 0 --format json" }
} satisfies Consumer

const oldest = { node: "22.19.0" }
const words = (text: string) => text.split(" ")

const readme = "packages/service/README.md"
const installs = readFileSync(readme, "utf8").matchAll(/npm install ([^#\n]*[^# \n])/g)
/** The packages that it tells to install, ours by their folders; once published, `client` and `core` come with them. */
const installed = Array.from(installs, ([, names = ""]) => words(names.replace("@cloud-management/", ""))).flat()

export const consumers: ReadonlyArray<Consumer> = [
  { ...esm, name: "Node, ESM" },
  { ...commonJs, name: "Node, require(esm)" },
  { ...commonJs, name: "Node, require(esm), oldest", versions: oldest },
  {
    ...commonJs,
    name: "Node, fetch, oldest",
    needs: [...onFetch, "service", "testing"],
    files: ["anywhere.ts"],
    scripts: { build: "tsc", start: "node dist/anywhere.js" },
    versions: { node: "20.19.0" }
  },
  { ...commonJs, name: "TypeScript, nodenext, oldest", isCommonJs: false, versions: { typescript: "5.9.3" } },
  {
    ...page,
    name: "Vite",
    tools: ["playwright-core", "typescript", "vite"],
    scripts: { types: "tsc --noEmit", build: "vite build", start: "node chromium.mjs dist" }
  },
  {
    ...page,
    name: "webpack",
    tools: ["playwright-core", "typescript", "webpack", "webpack-cli"],
    scripts: {
      types: "tsc",
      build: "webpack --mode production --entry ./dist/page.js --output-filename bundle.js",
      start: "node chromium.mjs . ./dist/bundle.js"
    }
  },
  {
    ...esm,
    name: "esbuild",
    tools: ["esbuild", "typescript"],
    compilerOptions: bundled,
    scripts: {
      types: "tsc --noEmit",
      build: "esbuild undici.ts --bundle --minify --platform=node --outfile=dist/undici.cjs",
      start: "node dist/undici.cjs"
    }
  },
  {
    name: "Bun",
    needs: onFetch,
    tools: ["bun", "typescript"],
    files: ["fetch.ts"],
    compilerOptions: bundled,
    scripts: { types: "tsc --noEmit", start: "bun fetch.ts" }
  },
  {
    name: "Deno",
    needs: onFetch,
    tools: ["deno"],
    scripts: { types: "deno check fetch.ts", start: "deno run --allow-env --allow-net fetch.ts" }
  },
  { ...promise, name: "promises, Node" },
  { ...promise, name: "promises, Node, oldest", versions: { ...oldest, typescript: "5.9.3" } },
  {
    name: "recipe, Next.js",
    needs: [...promises, "next", "react", "react-dom"],
    tools: [],
    recipe: "nextjs",
    // without the settings, as in a container
    scripts: {
      build: `NEXT_TELEMETRY_DISABLED=1 env ${["BASE_URL", "KEY_ID", "KEY_SECRET"].map((name) => `-u CLOUD_MANAGEMENT_${name}`).join(" ")} next build`,
      start: "node next.mjs"
    }
  },
  {
    name: "recipe, React",
    needs: [...promises, "service", "testing", "@tanstack/react-query", "effect", "react", "react-dom"],
    tools: [
      ...words("generator playwright-core typescript vite vitest happy-dom jsdom"),
      ...words("@testing-library/dom @testing-library/react @types/react @types/react-dom")
    ],
    files: ["src/main.tsx", "src/Orders.test.tsx"],
    compilerOptions: { ...stripped, jsx: "react-jsx", target: "esnext", lib: ["esnext", "dom", "dom.iterable"] },
    recipe: "react",
    page: true,
    scripts: {
      types: "cloud-management-generate orders.yaml --out src/api && tsc --noEmit",
      build: "vite build src",
      start:
        "for dom in happy-dom jsdom; do vitest run src --environment $dom >&2 || exit; done; node chromium.mjs src/dist"
    },
    prints: "created after 1, cancelled after 2, signed out, stored a chair,a chair, aborted"
  },
  {
    name: "recipe, Hono and Express",
    needs: [...promises, "@hono/node-server", "effect", "express", "hono"],
    tools: ["@types/express", "@types/node", "typescript"],
    files: ["routes.ts"],
    compilerOptions: withNode,
    recipe: "hono-express",
    scripts: { types: "tsc", start: "node routes.ts" }
  },
  {
    name: "recipe, Jest and Vitest",
    needs: [...promises, "service", "testing", "effect"],
    tools: ["generator", "@effect/vitest", "jest", "typescript", "vitest"],
    files: ["orders.test.ts"],
    compilerOptions: { ...stripped, skipLibCheck: true },
    recipe: "jest-vitest",
    scripts: {
      types: "cloud-management-generate orders.yaml --out api && tsc",
      start: "NODE_OPTIONS=--experimental-vm-modules jest lost && vitest run --globals >&2 && echo passed"
    },
    prints: "passed"
  },
  {
    name: "promises and fetch, mocked",
    needs: [...promises, "effect"],
    tools: ["msw", "nock", "nock15", "undici"],
    scripts: { start: "for tool in msw nock nock15 undici; do node mocked.mjs $tool || exit; done" },
    // by the default client, with the option `fetch`, over `FetchTransport`
    prints: `msw: Acme, mocked, mocked
nock: Acme, mocked, mocked
nock15: mocked, mocked, mocked
undici: Acme, mocked, mocked`
  },
  ...["7.0.2", "6.0.3", "5.9.3"].map((typescript) => ({
    name: `promises, types, TypeScript ${typescript}`,
    needs: promises,
    tools: words("@cloudflare/workers-types @types/bun @types/node typescript"),
    versions: { typescript },
    files: ["types.ts"],
    compilerOptions: { module: "nodenext", noEmit: true, skipLibCheck: true },
    scripts: {
      types: ["", ...["node", "bun", "@cloudflare/workers-types"].map((types) => `--lib es2023 --types ${types}`)]
        .map((flags) => `tsc ${flags}`)
        .join(" && "),
      start: "node types.ts"
    },
    prints: "6 A,READY,VPC_RESOURCE,READY ready true 2n 1767225600"
  })),
  {
    name: "service, alone",
    needs: ["client", "core", "service", "effect"],
    tools: [],
    scripts: { start: "node alone.mjs" },
    prints: "200; npm install @effect/sql-pg"
  },
  {
    name: "service, on Node",
    needs: ["client", "core", ...installed],
    readme,
    tools: ["@types/node", "typescript"],
    files: ["serve.ts"],
    compilerOptions: withNode,
    scripts: { types: "tsc", start: "node start.mjs" },
    prints: "200 401 StoreUnavailable"
  },
  { ...esm, name: "effect, highest", versions: { effect: range } },
  { ...esm, name: "effect, too low: refused", versions: { effect: `<${lowest}` }, refused: true }
]
