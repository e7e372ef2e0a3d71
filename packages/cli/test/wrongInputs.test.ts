import { certificate, Child, expect, layer, Listener, privateKey, selfSigned } from "../../../checks/fixtures/index.ts"
import { Context, Effect, Layer } from "effect"
import { createPrivateKey } from "node:crypto"
import { Fixtures } from "@cloud-management/testing"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, analytics, deployKey, expiredKey, readyEndpoint } = Fixtures

/**
 * The exit code, the command line, with the variables before it that are wrong, and what the message names.
 * FOLDER has the files below.
 */
const inputs = `
2 organisations -> "organisations" | mean organizations?
2 --format table keys delet -h -> "delet" | mean delete?
2 --base-url URL version -> flag: --base-url in command cloud-management version
2 --base-url URL -> cloud-management needs a subcommand: --base-url is not a flag of its own
2 admin --frob x -> cloud-management admin needs a subcommand: --frob
2 --verison x -> flag: --verison | mean --version?
2 keys -> keys needs a subcommand
2 keys delete -> argument: ORGANIZATION_ID
2 keys delete ORG KEY -> pass --yes
2 keys delete ORG x -> <KEY_ID>: "x"
2 endpoints get ORG SERVICE ENDPOINT --status ready -> --every need --wait
2 endpoints get ORG SERVICE ENDPOINT --wait --status Redy -> --status: "Redy" | mean Ready?
2 endpoints get ORG SERVICE ENDPOINT --wait --status Done -> --status: "Done" | Known: Ready, 
2 endpoints get ORG SERVICE ENDPOINT --no-wait -> flag: --no-wait
2 organizations list x -> positional argument: "x"
2 organizations list --format jsn -> --format: "jsn" | mean json?
2 organizations list --format -> value for flag --format
2 organizations list --formt json -> flag: --formt | mean --format?
2 organizations list --timeout 5 -> --timeout: "5" | such as 30s
2 organizations list --base-url localhost -> --base-url (CLOUD_MANAGEMENT_BASE_URL) | absolute http or https
2 organizations list --base-url URL --base-url URL -> --base-url is given 2 times
2 organizations list --base-url https://a.example\u00a0 -> --base-url: there is white space around
2 organizations list --key-id a:b -> --key-id (CLOUD_MANAGEMENT_KEY_ID) | colons
2 organizations list --password SECRET -> not accepted as flags | CLOUD_MANAGEMENT_KEY_SECRET, or pass --key-secret-file
2 organizations list --key-secret-file FOLDER/none -> --key-secret-file: | no such file
2 organizations list --key-secret-file FOLDER -> --key-secret-file: | not a file
2 organizations list --key-secret-file FOLDER/long -> --key-secret-file: the secret is longer than 4096
2 CLOUD_MANAGEMENT_KEY_SECRET=LONG organizations list -> CLOUD_MANAGEMENT_KEY_SECRET: the secret is longer than 4096
2 organizations list --key-secret-file FOLDER/empty -> --key-secret-file (CLOUD_MANAGEMENT_KEY_SECRET) | control characters
2 request POST /v1/x --yes --data @- --key-secret-file - -> --data and --key-secret-file both read stdin
2 request POST /v1/x --yes -F a=@- -F b=@/dev/stdin -> --field b: stdin is read for the field a
2 request POST /v1/x --yes -F a=@- --key-secret-file - -> --field a and --key-secret-file both read stdin
2 organizations list --profile none -> there is no profile none
2 organizations list --database cloud.db -> flag: --database
2 CLOUD_MANAGEMENT_BASE_URL= organizations list -> CLOUD_MANAGEMENT_BASE_URL, or pass --base-url
2 CLOUD_MANAGEMENT_KEY_ID= organizations list -> CLOUD_MANAGEMENT_KEY_ID, or pass --key-id
2 CLOUD_MANAGEMENT_KEY_SECRET= organizations list -> CLOUD_MANAGEMENT_KEY_SECRET, or pass --key-secret-file
2 CLOUD_MANAGEMENT_PROFILE=a/b organizations list -> --profile (CLOUD_MANAGEMENT_PROFILE): "a/b"
2 HTTPS_PROXY=socks5://user:SECRET@proxy.example organizations list --base-url https://api.example.com -> HTTPS_PROXY must be an http or https
7 organizations list --base-url http://127.0.0.1:1 -> ECONNREFUSED | --base-url
7 organizations list --base-url http://nowhere.invalid -> nowhere.invalid cannot be resolved
4 organizations list --base-url URL/401 -> Unauthorized (HTTP 401) | cloud-management login
7 organizations list --base-url URL/silent --timeout 50ms -> URL/silent: no complete response within 50ms
2 logout -> there is no profile default
2 request PSOT /v1/organizations -> <METHOD>: "PSOT" | mean POST?
2 request GET C:/Git/v1/organizations -> <PATH>: "C:/Git/v1/organizations" | as Git Bash does
2 request GET /v1/../keys -> <PATH>: "/v1/../keys"
2 request GET /v1 --query limit -> --query: "limit"
2 request GET /v1 --data {} -> --data: | no content
2 request POST /v1 --data {name} --yes -> --data: | not JSON
2 request POST /v1 --data @FOLDER/none --yes -> --data: FOLDER/none cannot be read
2 request POST /v1 --input FOLDER/text --yes -> --input: | FOLDER/text is not JSON
2 request GET /v1 --input FOLDER/text -> --input: a GET request has no content
2 request POST /v1 --data @FOLDER/latin1 --yes -> --data: | FOLDER/latin1 is not UTF-8 text
5 request GET /v1/x --base-url URL/404 -> NotFound (HTTP 404)
6 request GET /v1/x --base-url URL/409 -> Conflict (HTTP 409)
2 help kyes -> "kyes" | mean keys?
2 -q kyes --help -> "kyes" | mean keys?
2 keys --verbose remove --version -> "remove" for "cloud-management keys"
2 --format=json kyes -h -> "kyes\\" | mean keys?
2 help keys remove -> "remove" for "cloud-management keys"
2 help keys delete ORG -> cloud-management keys delete has no subcommand "ORG"
2 serve --port 99999 -> --port: "99999"
2 serve --host 192.0.2.1 --port 0 -> 192.0.2.1:0 is not an address of this machine
2 serve --database FOLDER -> --database (CLOUD_MANAGEMENT_DATABASE): FOLDER is a folder
2 serve --database /dev/null -> --database (CLOUD_MANAGEMENT_DATABASE): /dev/null is not a file
2 serve --database FOLDER/none/cloud.db -> --database (CLOUD_MANAGEMENT_DATABASE): FOLDER/none/cloud.db: unable to open
2 serve --database FOLDER/text -> --database (CLOUD_MANAGEMENT_DATABASE): FOLDER/text: file is not a database
2 serve --seed FOLDER/none -> --seed: FOLDER/none cannot be read
2 serve --seed FOLDER/text -> --seed: FOLDER/text: not JSON
2 serve --seed FOLDER/field.json -> --seed: FOLDER/field.json: Unknown field
2 serve --tls-cert FOLDER/text -> --tls-cert (CLOUD_MANAGEMENT_TLS_CERT) and --tls-key
2 serve --tls-cert FOLDER/text --tls-key FOLDER/text -> --tls-cert (CLOUD_MANAGEMENT_TLS_CERT): FOLDER/text contains no certificate
2 serve --tls-cert /dev/zero --tls-key FOLDER/text -> --tls-cert (CLOUD_MANAGEMENT_TLS_CERT): /dev/zero is not UTF-8 text
2 serve --tls-cert FOLDER/long --tls-key FOLDER/text -> --tls-cert (CLOUD_MANAGEMENT_TLS_CERT): FOLDER/long cannot be read: it is too large
2 serve --log-format pretyt -> --log-format: "pretyt" | mean pretty?
2 CLOUD_MANAGEMENT_DOCS=no serve -> --docs (CLOUD_MANAGEMENT_DOCS): "no"
2 OTEL_EXPORTER_OTLP_ENDPOINT=https://h OTEL_EXPORTER_OTLP_CERTIFICATE=FOLDER/none serve -> cannot be read: no such file
2 OTEL_EXPORTER_OTLP_ENDPOINT=https://h OTEL_EXPORTER_OTLP_CERTIFICATE=FOLDER/empty serve -> OTEL_EXPORTER_OTLP_CERTIFICATE must be PEM text
2 OTEL_EXPORTER_OTLP_ENDPOINT=localhost serve -> OTEL_EXPORTER_OTLP_ENDPOINT: expected an http
2 OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_HEADERS=a=SECRET%zz serve -> OTEL_EXPORTER_OTLP_HEADERS: expected pairs
2 OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_LOGS_HEADERS=a=1,b@=SECRET serve -> OTEL_EXPORTER_OTLP_LOGS_HEADERS: expected pairs
2 organizations list x --format json -> {"error":{"tag":"Usage","message":"Unexpected | "status":null,"requestId":null,"retryable":false,"advice":"See
2 --key-secret SECRET organizations list -> not accepted as flags
2 organizations list --key-secret-file SECRET -> --key-secret-file: the file
2 CLOUD_MANAGEMENT_PORT=http serve -> --port (CLOUD_MANAGEMENT_PORT): "http"
2 CLOUD_MANAGEMENT_CORS_ORIGIN=https://a.example,a.example serve --port 0 -> --cors-origin (CLOUD_MANAGEMENT_CORS_ORIGIN): "a.example"
2 serve --trusted-proxy 10.0.0.0/8 --trusted-proxy proxy.example -> --trusted-proxy: "proxy.example"
2 serve --tls-cert FOLDER/none --tls-key FOLDER/text -> --tls-cert (CLOUD_MANAGEMENT_TLS_CERT): FOLDER/none cannot be read
2 serve --host nowhere.invalid --port 0 -> nowhere.invalid:0 cannot be resolved | --host
2 serve --host= -> value for flag --host
2 serve --rate-limit 0/10s -> --rate-limit: "0/10s"
2 CLOUD_MANAGEMENT_MAX_HEADER_SIZE=0 serve -> --max-header-size (CLOUD_MANAGEMENT_MAX_HEADER_SIZE): "0"
2 CLOUD_MANAGEMENT_DATABASE=mysql://user:SECRET@h/d serve -> --database (CLOUD_MANAGEMENT_DATABASE): mysql:// is not supported
2 CLOUD_MANAGEMENT_DATABASE="postgres://app:SECRET@db/cloud" serve --port 0 -> --database (CLOUD_MANAGEMENT_DATABASE)
2 CLOUD_MANAGEMENT_DATABASE=postgres://u:SECRET@HOST/d admin organizations list -> does not speak PostgreSQL | Correct the host or the port
2 CLOUD_MANAGEMENT_DATABASE=postgres://u:SECRET@HOST/d?sslmode=require serve --port 0 -> does not speak PostgreSQL | Correct the host or the port
7 CLOUD_MANAGEMENT_DATABASE=postgres://u:SECRET@127.0.0.1:1/d serve --port 0 -> --database (CLOUD_MANAGEMENT_DATABASE) | ECONNREFUSED
2 CLOUD_MANAGEMENT_DATABASE_FILE=FOLDER/none serve -> CLOUD_MANAGEMENT_DATABASE_FILE: the file cannot be read: no such file
2 CLOUD_MANAGEMENT_DATABASE_FILE=postgres://u:SECRET@h/x serve -> CLOUD_MANAGEMENT_DATABASE_FILE: the file cannot be read: no such file
2 CLOUD_MANAGEMENT_DATABASE_FILE=FOLDER/empty serve -> CLOUD_MANAGEMENT_DATABASE_FILE: the file is empty
2 CLOUD_MANAGEMENT_DATABASE_FILE=FOLDER/binary serve -> CLOUD_MANAGEMENT_DATABASE_FILE: the file is not text; pass the path
2 CLOUD_MANAGEMENT_DATABASE_FILE=FOLDER/long serve -> CLOUD_MANAGEMENT_DATABASE_FILE: the file is longer than 4096
2 CLOUD_MANAGEMENT_DATABASE_FILE=FOLDER/text CLOUD_MANAGEMENT_DATABASE=cloud.db serve -> CLOUD_MANAGEMENT_DATABASE and CLOUD_MANAGEMENT_DATABASE_FILE are both set
2 CLOUD_MANAGEMENT_KEY_SECRET_FILE=FOLDER/none organizations list --key-secret-file FOLDER -> --key-secret-file: the file cannot be read: not a file
2 CLOUD_MANAGEMENT_KEY_SECRET_FILE=FOLDER/none organizations list -> CLOUD_MANAGEMENT_KEY_SECRET and CLOUD_MANAGEMENT_KEY_SECRET_FILE are both set
2 serve --tls-cert FOLDER/cert.pem --tls-key FOLDER/other.pem -> FOLDER/other.pem is not the key of the certificate in FOLDER/cert.pem
2 serve --tls-cert FOLDER/cert.pem --tls-key FOLDER/encrypted.pem -> --tls-key (CLOUD_MANAGEMENT_TLS_KEY): FOLDER/encrypted.pem contains no private key, or one that needs
2 serve --port 9999 --metrics-port 9999 -> --metrics-port (CLOUD_MANAGEMENT_METRICS_PORT): 9999 is the port of the API
7 serve --port 0 --metrics-port PORT -> Pass another port with --metrics-port
2 serve --host FOLDER/empty -> FOLDER/empty is a file that is not a socket (EEXIST) | pass the path of a file
2 serve --host none/socket -> error: none/socket | in a folder that this process can write to
2 serve --host FOLDER/${"x".repeat(120)} -> EINVAL | of at most 107 bytes
7 serve --port PORT -> 127.0.0.1:PORT is used by another process (EADDRINUSE) | Pass another port with --port
2 demo --service-id SERVICE -> --service-id and --endpoint-id must be used together
2 demo --service-id x -> --service-id: "x"
2 CLOUD_MANAGEMENT_BASE_URL= demo --service-id SERVICE --endpoint-id ENDPOINT -> --service-id and --endpoint-id | CLOUD_MANAGEMENT_BASE_URL
2 admin organizations list -> --database (CLOUD_MANAGEMENT_DATABASE) is missing
2 admin organizations list --database FOLDER/none.db -> --database (CLOUD_MANAGEMENT_DATABASE): FOLDER/none.db does not exist
2 admin organizations list --database \u00a0FOLDER/none.db\u00a0 -> : FOLDER/none.db does not exist
2 admin organizations list --database :memory: -> --database (CLOUD_MANAGEMENT_DATABASE): an in-memory
2 admin keys create ORG deploy --database FOLDER/none.db -> FOLDER/none.db does not exist | admin seed
2 admin keys create ORG deploy --expires 2020-01-01 --database FOLDER/none.db -> --expires: 2020-01-01T00:00:00.000Z
2 admin keys create ORG x --expires 2027-02-31 --database FOLDER/none.db -> --expires: "2027-02-31"
2 admin keys create ORG x --expires 999999999d --database FOLDER/none.db -> --expires: the time is after the year 9999
2 CLOUD_MANAGEMENT_LOG_FORMAT=xml admin keys delete ORG KEY --yes -> --log-format (CLOUD_MANAGEMENT_LOG_FORMAT): "xml"
2 admin keys update ORG KEY --database FOLDER/none.db -> pass --name or --expires
2 admin endpoints create ORG SERVICE --database FOLDER/none.db -> flag: --type
2 admin endpoints create ORG SERVICE --type PIPE --database FOLDER/none.db -> --type: "PIPE"
2 admin seed FOLDER/none --database FOLDER/new.db -> argument <FILE>: FOLDER/none cannot be read
2 admin audit list --limit=0 --database FOLDER/none.db -> --limit: "0"
2 admin audit list --limit=10000000 --database FOLDER/none.db -> --limit: "10000000"
2 admin audit list --since 2026-01-31T12:00[Europe/Nowhere] --database FOLDER/none.db -> --since: "2026-01-31T12:00[Europe/Nowhere]"
2 admin audit list --since yesterday --database FOLDER/none.db -> --since: "yesterday"
2 admin audit reapply FOLDER/none --database FOLDER/none.db -> argument <FILE>: FOLDER/none cannot be read
2 --versio -> flag: --versio | mean --version?
2 completions tcsh -> <SHELL>: "tcsh"
2 completions powershell --install -> does not know powershell | $PROFILE
`

const files = {
  text: "not JSON",
  empty: "",
  binary: "a\0",
  "cert.pem": certificate,
  "other.pem": selfSigned().key,
  "encrypted.pem": String(
    createPrivateKey(privateKey).export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" })
  ),
  long: "x".repeat(2 ** 20 + 1),
  latin1: Buffer.from(`{"name":"Zürich"}`, "latin1"),
  "field.json": `{"organisations":[]}`
}

/** The service at URL: the first segment of a path is the status it replies with. */
const reply = (received: ReadonlyArray<Listener.Received>): Listener.Reply | undefined => {
  const [, first = ""] = received.at(-1)?.target.split("/") ?? []
  if (first === "silent") return undefined
  return Server.reply({ error: "CODE: text of the service", requestId: "req-1" }, Number(first))
}

class Surroundings extends Context.Service<Surroundings, ReadonlyMap<string, string>>()("Surroundings") {
  static readonly layer = Layer.effect(
    Surroundings,
    Effect.gen(function* () {
      const folder = yield* Child.folder(files)
      const { url } = yield* Listener.replying(reply)
      const { host, port } = new URL(url)
      return new Map([
        ["ORG", acme],
        ["KEY", expiredKey.id],
        ["SERVICE", analytics],
        ["ENDPOINT", readyEndpoint],
        ["SECRET", deployKey.secret],
        ["LONG", "x".repeat(4097)],
        ["FOLDER", folder],
        ["HOST", host],
        ["PORT", port],
        ["URL", url]
      ])
    })
  )
}

layer(Surroundings.layer, { excludeTestServices: true })(
  "each of these wrong inputs gets its exit code, a message that names it, and a remedy",
  (it) => {
    it.effect.each(inputs.trim().split("\n"))("%s", function* (row) {
      const [, code, variables = "", line = "", named = ""] =
        /^(\d) ((?:[A-Z_]+=\S* )*)(.*) -> (.*)$/.exec(row) ?? expect.unreachable(row)
      const words = yield* Surroundings
      const real = (text: string) => text.replace(/\b[A-Z]+\b/g, (word) => words.get(word) ?? word)
      const env = Object.fromEntries(
        Array.from(variables.matchAll(/(\S+?)=(\S*) /g), ([, name = "", value = ""]) => [name, real(value)])
      )
      const client = Server.client(real("URL"))
      const { stderr, ...ended } = yield* Invocation.run(real(line).split(" "), { ...client, ...env })
      expect(ended).toEqual({ code: Number(code), stdout: "" })
      expect(stderr).not.toContain(deployKey.secret)
      // someone may have put the secret there
      for (const [name, value] of Object.entries(env)) {
        if (name.endsWith("_FILE")) expect(stderr).not.toContain(value)
      }
      for (const text of named.split(" | ")) expect(stderr).toContain(real(text))
      // the remedy is below the message, or at its end
      expect(stderr).toMatch(/\n {7}\S|: (pass|set|unset) |such as |"advice":"/)
    })
  }
)
