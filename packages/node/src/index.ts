export * as NodeFile from "./NodeFile.ts"
export * as NodeTransport from "./NodeTransport.ts"
export * as TransportOptions from "./TransportOptions.ts"
