import { Octokit } from "@octokit/rest"

const octokit = new Octokit({ auth: "secret" })

const { data } = await octokit.rest.orgs.listForAuthenticatedUser()
await octokit.rest.users.deletePublicSshKeyForAuthenticatedUser({ key_id: 1 })
console.log(data, await octokit.rest.orgs.get({ org: "example" }))
