import { Octokit } from "@octokit/core"

const octokit = new Octokit({ auth: "secret" })

const { data } = await octokit.request("GET /user/orgs")
await octokit.request("DELETE /user/keys/{key_id}", { key_id: 1 })
console.log(data, await octokit.request("GET /orgs/{org}", { org: "example" }))
