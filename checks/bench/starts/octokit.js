import { Octokit } from "@octokit/core"

const octokit = new Octokit({ auth: "secret", baseUrl: process.env.BASE_URL })
await octokit.request("GET /orgs/{org}", { org: "example" })
process.exit()
