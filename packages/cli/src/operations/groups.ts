import type { operations } from "@cloud-management/core/Operations"

export const groups: Readonly<Record<keyof typeof operations, string>> = {
  organizations: "organizations",
  apiKeys: "keys",
  reversePrivateEndpoints: "endpoints"
}
