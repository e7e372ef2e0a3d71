export * as NodeTransport from "./NodeTransport.ts"
export * as TransportOptions from "./TransportOptions.ts"
