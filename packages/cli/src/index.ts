export * as Cli from "./Cli.ts"
export * as Failure from "./Failure.ts"
