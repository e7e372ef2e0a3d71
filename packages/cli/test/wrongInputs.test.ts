import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as Child from "./Child.ts"
import * as Invocation from "./Invocation.ts"
import * as Server from "./Server.ts"

const { acme, analytics, deployKey, expiredKey, readyEndpoint } = Fixtures

/** A command line, with a variable before it where that is what is wrong. FOLDER has the files below. */
const inputs = `
organisations
organisations --help
--format table keys delet -h
organization list
keys
keys delet
keys delete
keys delete ORG
keys delete ORG KEY
keys delete ORG x
keys delete ORG KEY KEY --yes
keys delete acme KEY --yes
endpoints
endpoints get ORG SERVICE
endpoints get ORG SERVICE x
endpoints get ORG SERVICE ENDPOINT --status ready
endpoints get ORG SERVICE ENDPOINT --every 5s
endpoints get ORG SERVICE ENDPOINT --wait --status Redy
endpoints get ORG SERVICE ENDPOINT --wait --status Done
endpoints get ORG SERVICE ENDPOINT --wait --status=
endpoints get ORG SERVICE ENDPOINT --wait --every 5
endpoints get ORG SERVICE ENDPOINT --wait --every
endpoints get ORG SERVICE ENDPOINT --wait --timeout soon
endpoints get ORG SERVICE ENDPOINT --no-wait
organizations list x
organizations list --format yaml
organizations list --format jsn
organizations list --format
organizations list --formt json
organizations list --base-urll URL
organizations list --verbos
organizations list --timeout 0s
organizations list --timeout 5
organizations list --base-url localhost
organizations list --base-url https://user:pass@example.com
organizations list --base-url ftp://example.com
organizations list --base-url URL --base-url URL
organizations list --base-url
organizations list --key-id a:b
organizations list --key-secret SECRET
organizations list --password SECRET
organizations list --key-secret-file FOLDER/none
organizations list --key-secret-file FOLDER
organizations list --key-secret-file FOLDER/empty
organizations list --key-secret-file FOLDER/long
request POST /v1/x --yes --data @- --key-secret-file -
organizations list --profile none
organizations list --profile a/b
organizations list --profile _x
organizations list --database cloud.db
CLOUD_MANAGEMENT_BASE_URL= organizations list
CLOUD_MANAGEMENT_KEY_ID= organizations list
CLOUD_MANAGEMENT_KEY_SECRET= organizations list
CLOUD_MANAGEMENT_PROFILE=a/b organizations list
organizations list --base-url http://127.0.0.1:1
organizations list --base-url http://nowhere.invalid
organizations list --base-url URL/400
organizations list --base-url URL/401
organizations list --base-url URL/403
organizations list --base-url URL/404
organizations list --base-url URL/429
organizations list --base-url URL/500
organizations list --base-url URL/503
organizations list --base-url URL/v1
organizations list --base-url URL/html
organizations list --base-url URL/silent --timeout 50ms
login --base-url URL/401
login --key-id a:b
logout
logout --profile none
whoami --base-url URL/401
whoami x
profiles
profiles lst
CLOUD_MANAGEMENT_BASE_URL= login
request
request GET
request FETCH /v1/organizations
request PSOT /v1/organizations
request GET C:/Git/v1/organizations
request GET https://h/v1
request GET /v1/../keys
request GET /v1?limit=1
request GET /v1 --query limit
request GET /v1 --data {}
request POST /v1
request POST /v1 --data {name} --yes
request POST /v1 --data @FOLDER/none --yes
request POST /v1 --data @FOLDER/text --yes
request POST /v1 --data @FOLDER/latin1 --yes
request GET /v1/x --base-url URL/404
request GET /v1/x --base-url URL/409
help kyes
help keys remove
version x
serve --port 99999
serve --port 1 --port 2
serve --port http
serve --host
serve --host 192.0.2.1 --port 0
serve --database FOLDER
serve --database FOLDER/none/cloud.db
serve --database FOLDER/text
serve --database mysql://h/d
serve --database postgres://u@h/d?sslmod=require
serve --seed FOLDER/none
serve --seed FOLDER/text
serve --seed FOLDER/latin1
serve --seed FOLDER/list.json
serve --seed FOLDER/field.json
serve --rate-limit 10
serve --rate-limit-store memcached://h
serve --cors-origin example.com
serve --trusted-proxy proxy
serve --tls-cert FOLDER/text
serve --tls-cert FOLDER/text --tls-key FOLDER/text
serve --shutdown-timeout 5
serve --log-format pretyt
serve --key-id x
CLOUD_MANAGEMENT_DOCS=no serve
OTEL_EXPORTER_OTLP_ENDPOINT=localhost serve
demo --service-id SERVICE
demo --service-id x
CLOUD_MANAGEMENT_BASE_URL= demo --service-id SERVICE --endpoint-id ENDPOINT
admin
admin keys
admin organizations list
admin organizations list --database
admin organizations list --database FOLDER/none.db
admin organizations list --database :memory:
admin organizations list --database FOLDER
admin organizations list --log-format xml --database FOLDER/none.db
admin organizations create --database FOLDER/new.db
admin keys create ORG deploy --expires soon --database FOLDER/none.db
admin keys create ORG deploy --expires 2020-01-01 --database FOLDER/none.db
admin keys update ORG KEY --database FOLDER/none.db
admin keys update ORG KEY --name= --database FOLDER/none.db
admin keys delete ORG KEY --database FOLDER/none.db
admin endpoints create ORG SERVICE --database FOLDER/none.db
admin endpoints create ORG SERVICE --type PIPE --database FOLDER/none.db
admin endpoints update ORG SERVICE ENDPOINT --status Redy --database FOLDER/none.db
admin seed FOLDER/none --database FOLDER/new.db
admin seed FOLDER/latin1 --database FOLDER/new.db
admin organizations delete ORG --database FOLDER/none.db
admin services delete ORG SERVICE --database FOLDER/none.db
admin keys rotate ORG KEY --overlap soon --database FOLDER/none.db
admin audit list --since yesterday --database FOLDER/none.db
admin audit list --key x --database FOLDER/none.db
admin audit prune --database FOLDER/none.db
admin audit prune --before 2100-01-01 --yes --database FOLDER/none.db
admin audit prune --before 365d --database FOLDER/none.db
admin audit reapply --database FOLDER/none.db
admin audit reapply FOLDER/none --database FOLDER/none.db
--versio
--completions tcsh
`

const files = {
  text: "not JSON",
  empty: "",
  long: "x".repeat(100_000),
  latin1: Buffer.from(`{"name":"Zürich"}`, "latin1"),
  "list.json": "[]",
  "field.json": `{"organisations":[]}`
}

/** The service at URL: the first segment of a path is the status it answers with. */
const answer = (received: ReadonlyArray<Server.Received>): Server.Answer | undefined => {
  const [, first = ""] = received.at(-1)?.target.split("/") ?? []
  if (first === "silent") return undefined
  if (first === "html") return { status: 200, headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" }
  const status = Number(first)
  if (Number.isNaN(status)) return { status: 404, headers: { "content-type": "text/plain" }, body: "Not Found" }
  const error = { status, error: "CODE: text of the service", requestId: "req-1" }
  return {
    status,
    headers: status === 429 || status === 503 ? { "retry-after": "100" } : {},
    body: JSON.stringify(error)
  }
}

it.live("each of these wrong inputs gets its exit code, a message that names it, and a remedy", () =>
  Effect.gen(function* () {
    const folder = yield* Child.folder(files)
    const { url } = yield* Server.answering(answer)
    const words = new Map([
      ["ORG", acme],
      ["KEY", expiredKey.id],
      ["SERVICE", analytics],
      ["ENDPOINT", readyEndpoint],
      ["SECRET", deployKey.secret]
    ])
    const report: Array<string> = []
    const without: Array<string> = []
    const lines = inputs.trim().split("\n")
    for (const line of lines) {
      const [, name = "", value = "", rest = ""] = /^(?:([A-Z_]+)=(\S*) )?(.*)$/.exec(line) ?? []
      const args = rest
        .split(" ")
        .map((word) => (words.get(word) ?? word).replace("URL", url).replace("FOLDER", folder))
      const ended = yield* Invocation.run(args, {
        CLOUD_MANAGEMENT_BASE_URL: url,
        CLOUD_MANAGEMENT_KEY_ID: deployKey.id,
        CLOUD_MANAGEMENT_KEY_SECRET: deployKey.secret,
        ...(name !== "" && { [name]: value })
      })
      expect(ended.stderr + ended.stdout).not.toContain(deployKey.secret)
      expect([line, ended.stdout]).toEqual([line, ""])
      const shown = [...words, ["FOLDER", folder], ["URL", url]].reduce(
        (text, [word = "", value = ""]) => text.replaceAll(value, word),
        ended.stderr.replaceAll(join(folder, ""), "FOLDER").replace(/^\{"time".*\n/gm, "")
      )
      // below the message, or at its end
      if (!/\n {7}\S|: (pass|set) |such as /.test(shown)) without.push(`${line}\n${shown}`)
      report.push(`$ ${line}\n${shown}exit code ${ended.code}\n`)
    }
    expect(lines.length).toBeGreaterThanOrEqual(100)
    expect(new Set(lines).size).toBe(lines.length)
    yield* Effect.promise(() =>
      expect(report.join("\n")).toMatchFileSnapshot(join(import.meta.dirname, "__snapshots__", "wrongInputs.txt"))
    )
    expect(without).toEqual([])
  })
)
