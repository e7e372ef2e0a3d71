export * as NodeTransport from "./NodeTransport.ts"
