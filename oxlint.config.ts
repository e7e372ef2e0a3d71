import { defineConfig, type OxlintOverride } from "oxlint"

const inside = ["./**", "../**"]
/** Modules of effect, never its index, which triples a bundle: import `effect/Effect`, not `effect`. */
const effect = ["effect/[A-Z]*", "effect/*/[A-Z]*"]
const ours = (...packages: ReadonlyArray<string>) => packages.map((name) => `@cloud-management/${name}/[A-Za-z]*`)
const service = [...inside, ...effect, ...ours("client", "core"), "@noble/hashes/*"]
const node = ["@effect/platform-node/[A-Z]*", "@effect/sql-pg/[A-Z]*", "@mongodb-js/saslprep", "node:*", "undici"]

type Group = Array<string>
/** Only these may be imported, and of them not the others. */
const only = (allowed: ReadonlyArray<string>, ...except: Group): Group => [
  "*",
  ...allowed.map((pattern) => `!${pattern}`),
  ...except
]
/** Of the other rooms of its package, a file imports these only. */
const besides = (...allowed: Group): Group => ["../**", ...allowed.map((pattern) => `!${pattern}`)]
const room = (...names: Group) => names.flatMap((name) => [`../${name}`, `../${name}/*.ts`])

/**
 * The boundaries: which imports the files of a folder may not have. The last one for a file counts. The rooms of the service
 * are frame ← cloud ← sql, and node on top; those of the generator read ← model ← write, and before something is written,
 * what is committed (compare). A server made from a document, and the calls against it, read the document with other eyes.
 */
const boundaries: Readonly<Record<string, readonly [message: string, ...groups: ReadonlyArray<Group>]>> = {
  "packages/client/src/**": ["client imports modules of effect only.", only([...inside, ...effect])],
  "packages/core/src/**": [
    "core imports modules of effect and client only.",
    only([...inside, ...effect, ...ours("client")])
  ],
  "packages/{browser,service}/src/**": [
    "browser and service import modules of effect, client and core only (and @noble/hashes); what needs Node lives in service/src/node.",
    only(service, "./node/**", "../node/**")
  ],
  "packages/service/src/frame/**": [
    "The frame serves any registry with our keys, and knows none of the other rooms; it imports modules of effect, client and core only (and @noble/hashes).",
    only(service, "**/{cloud,sql,node}/**")
  ],
  "packages/service/src/cloud/**": [
    "cloud stands on the frame, and knows no database and no Node; it imports modules of effect, client and core only (and @noble/hashes).",
    only(service, "**/{sql,node}/**")
  ],
  "packages/{node/src,service/src/node}/**": [
    "node and service/node import modules of effect, client, core and Node only (and @mongodb-js/saslprep).",
    only([...inside, ...effect, ...ours("client", "core"), ...node])
  ],
  "packages/promise/src/**": [
    "promise imports modules of effect, client, core and the transports only.",
    only([...inside, ...effect, ...ours("client", "core", "node", "browser")])
  ],
  "packages/testing/src/**": [
    "testing imports modules of effect, client, core and service (without service/node) only.",
    only([...inside, ...effect, ...ours("client", "core", "service")])
  ],
  "packages/cli/src/**": [
    "cli imports client, core, node and service only; it knows the ports Store and Administration, and no SQL: use service/node/Database.",
    ["@cloud-management/{browser,testing}", "@cloud-management/{browser,testing}/**"],
    ["effect/sql/**", "@effect/sql-*/**"]
  ],
  "packages/generator/src/read/**": ["read knows no other room.", besides()],
  "packages/generator/src/model/**": ["model builds on read.", besides(...room("read"))],
  "packages/generator/src/compare/**": ["compare builds on read and model.", besides(...room("read", "model"))],
  "packages/generator/src/write/**": [
    "write builds on read, model and compare.",
    besides(...room("read", "model", "compare"))
  ],
  "packages/generator/src/verify/*.ts": [
    "verify reads the bundled document, and nothing that reads or models it for the generator.",
    besides(
      "../{read,compare}",
      ...room("served"),
      "../read/{Json,Patch,Selection,Source,Unusable}.ts",
      "../compare/Manifest.ts",
      "../{Arguments,Count,Terminal}.ts"
    )
  ],
  "packages/generator/src/served/**": [
    "What is served by a document knows nothing of the generator, its code or the client.",
    [...besides("../read", "../read/Json.ts"), "@cloud-management/**"]
  ],
  "packages/generator/src/served/Command.ts": [
    "The command mock reads a document, and serves it.",
    besides("../read", "../read/{Source,Unusable}.ts", "../Arguments.ts")
  ]
}

export default defineConfig({
  plugins: ["typescript", "import", "oxc", "unicorn", "vitest"],
  jsPlugins: ["eslint-plugin-redos"],
  categories: { correctness: "error" },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist"],
  rules: {
    // tsc knows better: it sees through `export *` of a CommonJS module
    "import/namespace": "off",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    // Control characters are what the code that validates and redacts looks for.
    "no-control-regex": "off",
    "typescript/ban-ts-comment": ["error", { "ts-expect-error": "allow-with-description" }],
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "vitest/no-focused-tests": "error",
    // does not know it.effect
    "vitest/no-standalone-expect": "off"
  },
  overrides: [
    {
      files: ["packages/*/src/**", "checks/simulation/src/**"],
      rules: {
        // A pattern takes linear time on any text, wherever the text comes from; none is put together at run time, where
        // it could not be checked. The automaton decides alike on a busy machine; it knows no look-around, so none is used.
        "redos/no-vulnerable": ["error", { cache: false, ignoreErrors: false, checker: "automaton", timeout: 60_000 }],
        "no-restricted-globals": ["error", "RegExp"],
        "typescript/consistent-type-assertions": ["error", { assertionStyle: "never" }],
        "typescript/no-non-null-assertion": "error",
        "typescript/no-unsafe-argument": "error",
        "typescript/no-unsafe-assignment": "error",
        "typescript/no-unsafe-call": "error",
        "typescript/no-unsafe-member-access": "error",
        "typescript/no-unsafe-return": "error"
      }
    },
    {
      // Time, chance and the environment come from Effect's services (Clock, Random, Crypto, Config), so that a test
      // decides them.
      files: ["packages/{client,core,node,browser,promise,service,testing}/src/**", "checks/simulation/src/**"],
      rules: {
        "no-restricted-globals": [
          "error",
          { globals: ["Date", "performance", "process", "Buffer", "RegExp"], checkGlobalObject: true }
        ],
        "no-restricted-properties": [
          "error",
          { object: "Math", property: "random", message: "Use effect/Random." },
          { object: "crypto", property: "randomUUID", message: "Use effect/Crypto." }
        ]
      }
    },
    ...Object.entries(boundaries).map(([files, [message, ...groups]]): OxlintOverride => {
      const patterns = groups.map((group) => ({ caseSensitive: true, group, message }))
      return { files: [files], rules: { "no-restricted-imports": ["error", { patterns }] } }
    })
  ]
})
