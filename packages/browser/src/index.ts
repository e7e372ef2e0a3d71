export * as FetchTransport from "./FetchTransport.ts"
