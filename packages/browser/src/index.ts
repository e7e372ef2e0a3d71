export * as FetchTransport from "./FetchTransport.ts"
export * as XhrTransport from "./XhrTransport.ts"
