import type { operations } from "@cloud-management/core/Operations"

/** The groups of operations, by the names of their commands. */
export const groups: Readonly<Record<keyof typeof operations, string>> = {
  organizations: "organizations",
  apiKeys: "keys",
  reversePrivateEndpoints: "endpoints"
}
