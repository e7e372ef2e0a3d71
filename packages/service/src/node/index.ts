export * as Database from "./Database.ts"
export * as HttpHost from "./HttpHost.ts"
export * as MetricsHost from "./MetricsHost.ts"
export * as TrustedProxies from "./TrustedProxies.ts"
