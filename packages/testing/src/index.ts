export * as Fixtures from "./Fixtures.ts"
export * as InMemoryTransport from "./InMemoryTransport.ts"
