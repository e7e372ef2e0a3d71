import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as ApiKey from "@cloud-management/core/ApiKey"
import * as CloudError from "@cloud-management/core/CloudError"
import type * as Operation from "@cloud-management/core/Operation"
import { operations } from "@cloud-management/core/Operations"
import * as Organization from "@cloud-management/core/Organization"
import * as CloudManagement from "@cloud-management/core/CloudManagement"
import * as Credentials from "@cloud-management/core/Credentials"
import * as Log from "@cloud-management/core/Log"
import * as Pacing from "@cloud-management/core/Pacing"
import * as ReversePrivateEndpoint from "@cloud-management/core/ReversePrivateEndpoint"
import * as Telemetry from "@cloud-management/core/Telemetry"
import * as Audit from "@cloud-management/service/Audit"
import * as Event from "@cloud-management/service/Event"
import * as ServiceTelemetry from "@cloud-management/service/Telemetry"
import * as Faults from "@cloud-management/testing/Faults"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import { read, rows } from "./documents.ts"
import * as Recorder from "../../packages/core/test/Recorder.ts"
import { calls, connect, refusal, type Client, type Options } from "../../packages/core/test/Scripted.ts"
import * as Timeline from "../../packages/core/test/Timeline.ts"

const { Fault } = Faults
const document = read("observability.md")
const sorted = (texts: Iterable<string>) => [...new Set(texts)].toSorted()
/** The names in a cell: all that is code, up to a colon or a semicolon. */
const names = (cell = "") => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = ""]) => name)
/** The table below a heading, or in it, whose first column has this name. */
const table = (heading: string, column: string) => {
  const from = document.indexOf(`\n| ${column} |`, document.indexOf(`\n## ${heading}\n`))
  const text = document.slice(from, document.indexOf("\n\n", from + 1))
  return rows(`\n## ${column}\n${text}`, `## ${column}`)
}

/** Plays calls one after the other in virtual time, and hears what the client reports of them. */
const play = Effect.fnUntraced(function* (
  faults: ReadonlyArray<Faults.Fault>,
  call: (cloud: Client) => Effect.Effect<unknown, unknown>,
  options: Options = {}
) {
  const recorder = Recorder.make()
  const timeline = yield* Timeline.make
  const played = Effect.flatMap(connect(faults, options), ({ cloud }) => Effect.exit(call(cloud)))
  yield* timeline.run(recorder.record(played)).pipe(Random.withSeed("observability"))
  return recorder
})

/** Builds a client for a host elsewhere, without TLS. */
const insecure = Effect.gen(function* () {
  const recorder = Recorder.make()
  const credentials = Credentials.make(Fixtures.deployKey.id, Fixtures.deployKey.secret)
  const client = CloudManagement.layer({ baseUrl: "http://api.example.com", credentials, log: Log.effect })
  yield* recorder.record(Layer.build(Layer.provide(client, InMemoryTransport.layer(Fixtures.seed))))
  return recorder
})

/** Calls with a key that the service does not know, and that cannot be read a second time. */
const withdrawn = Effect.gen(function* () {
  const recorder = Recorder.make()
  let isRead = false
  const credentials = Effect.suspend(() => {
    if (isRead) return Effect.fail("the vault is unavailable")
    isRead = true
    return Effect.succeed(Credentials.make(Fixtures.deployKey.id, `not ${Fixtures.deployKey.secret}`))
  })
  const client = CloudManagement.layer({ baseUrl: "https://api.example.com", credentials, log: Log.effect })
  const call = Effect.flatMap(CloudManagement.CloudManagement, (cloud) => Effect.flip(cloud.organizations.list()))
  yield* recorder.record(Effect.provide(call, Layer.provide(client, InMemoryTransport.layer(Fixtures.seed))))
  return recorder
})

const list = calls["organizations.list"]
/** Scenes in which everything that a client can report is reported. */
const scenes = Effect.all([
  insecure,
  withdrawn,
  // a wait of its own, a wait that was asked for, an error
  play([Fault.DropBeforeSend(), refusal(429, { "retry-after": "2" }), refusal(503, { "retry-after": "3600" })], list),
  play([Fault.DropAfterSend()], calls["apiKeys.delete"]),
  play([Fault.Hang()], (cloud) =>
    Effect.flatMap(Effect.forkChild(list(cloud)), (fiber) =>
      Effect.andThen(Effect.sleep("1 second"), Fiber.interrupt(fiber))
    )
  ),
  play([], (cloud) => Effect.all([list(cloud), list(cloud)]), {
    pacing: Pacing.fixed({ limit: 1, window: "1 second" })
  })
])

describe("docs/observability.md", () => {
  it.effect("has the spans of a deletion with their kinds", () =>
    Effect.gen(function* () {
      const { trees } = yield* play([], calls["apiKeys.delete"])
      const reported = trees()
        .flatMap((call) => [call, ...call.children])
        .map(({ kind, name }) => [name, kind])
      expect(table("Spans", "span").map(([cell, kind]) => [names(cell)[0], kind])).toEqual(reported)
    })
  )

  it.effect("has the attributes that the spans have, and no other", () =>
    Effect.gen(function* () {
      const spans = (yield* scenes).flatMap(({ spans }) => spans)
      const keys = (kind: string) =>
        sorted(spans.filter((span) => span.kind === kind).flatMap(({ attributes }) => [...attributes.keys()]))
      const documented = (on: string) =>
        sorted(
          table("Spans", "attribute").flatMap(([cell, of = ""]) => (of === on || of === "both" ? names(cell) : []))
        )
      expect(documented("call")).toEqual(keys("internal"))
      expect(documented("attempt")).toEqual(keys("client"))
    })
  )

  it.effect("has the attributes of the event of a wait, and no other", () =>
    Effect.gen(function* () {
      const events = (yield* scenes).flatMap(({ trees }) => trees()).flatMap(({ events }) => events)
      expect(document).toContain(`has an event \`${Telemetry.spans.wait}\``)
      expect(sorted(events.map(([name]) => name))).toEqual([Telemetry.spans.wait])
      const documented = sorted(table("Spans", "attribute of the event").flatMap(([cell]) => names(cell)))
      expect(documented).toEqual(sorted(events.flatMap(([, attributes]) => Object.keys(Object(attributes)))))
    })
  )

  it.effect("has the metrics with their units and labels, and no other", () =>
    Effect.gen(function* () {
      const series = (yield* scenes).flatMap(({ series }) => series())
      const documented = table("Metrics", "metric").map(([cell, unit = "", labels]) => ({
        name: names(cell)[0] ?? "",
        labels: sorted([`unit=${unit}`, ...names(labels)])
      }))
      const reported = sorted(series.map(([name]) => name)).map((name) => ({
        name,
        labels: sorted(
          series.flatMap(([of, { unit, ...labels }]) => (of === name ? [`unit=${unit}`, ...Object.keys(labels)] : []))
        )
      }))
      expect(documented.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(reported)
    })
  )

  it.effect("has the lines of the log with their levels and annotations, and no other", () =>
    Effect.gen(function* () {
      const lines = (yield* scenes).flatMap(({ lines }) => lines)
      const documented = table("Logs", "level").map(([level, line, annotations]) => ({
        line: `${level} ${names(line)[0]}`,
        annotations: sorted(names(annotations))
      }))
      const lineOf = ({ level, message }: Recorder.Line) => `${level} ${[message].flat().join(" ")}`
      const reported = sorted(lines.map(lineOf)).map((line) => ({
        line,
        annotations: sorted(lines.flatMap((one) => (lineOf(one) === line ? Object.keys(one.annotations) : [])))
      }))
      expect(documented.toSorted((a, b) => (a.line < b.line ? -1 : 1))).toEqual(reported)
    })
  )

  it("has every name of Telemetry", () => {
    for (const name of Object.values(Telemetry.attributes)) expect(document).toContain(`\`${name}\``)
  })

  it("has every reason as a value of error.type", () => {
    const paragraph = /\n\n`error\.type` of a call [^]*?\n\n/.exec(document)?.[0]
    const modules = { ...ApiKey, ...CloudError, ...Organization, ...ReversePrivateEndpoint }
    const classes = Object.entries(modules).flatMap(([name, value]) =>
      typeof value === "function" && value.prototype instanceof Error && name !== "CloudError" ? [name] : []
    )
    const refusals = Object.values(operations).flatMap((group) =>
      Object.values<Operation.Any>(group).flatMap(({ errors }) => errors.map(({ name }) => name))
    )
    const documented = sorted(names(paragraph).filter((name) => /^[A-Z]/.test(name)))
    expect(documented).toEqual(sorted(classes))
    expect(documented).toEqual(expect.arrayContaining(refusals))
  })

  it("has the metrics of the service with their kinds, names on the page, units and labels, and no other", () => {
    const documented = table("Of `serve`", "metric of serve").map(([cell = "", page, unit, labels]) => {
      const [, name, type] = /^`([^`]+)`, (\w+): ./.exec(cell) ?? []
      return { name, type, page: names(page)[0], unit, labels: names(labels) }
    })
    expect(documented).toEqual(
      Object.values(ServiceTelemetry.metrics).map(({ labels, name, type, unit }) => ({
        name,
        type,
        page: ServiceTelemetry.prometheusName(name),
        unit,
        labels
      }))
    )
  })

  it("has every name and every value of a label of the service", () => {
    const values = [...Event.rejections, ...Event.limits, ...Event.deletions]
    const all = [...Object.values(ServiceTelemetry.attributes), ...values]
    expect(all.filter((name) => !document.includes(`\`${name}\``))).toEqual([])
  })

  it.effect("has the records of the audit with their levels, and no other", () =>
    Effect.gen(function* () {
      const recorder = Recorder.make()
      for (const event of Object.values(Audit.events)) yield* recorder.record(Audit.write(event, {}))
      const reported = recorder.lines.map(({ annotations, level }) => `${String(annotations["audit"])} ${level}`)
      const documented = table("Of `serve`", "record").flatMap(([cell, level]) =>
        names(cell).map((name) => `${name} ${level}`)
      )
      expect(sorted(documented)).toEqual(sorted(reported))
      expect(documented).toHaveLength(new Set(documented).size)
    })
  )

  it("has the fields of the records, and no other", () => {
    const expected = Object.keys(Audit.Record.fields).filter(
      (name) => !["id", "time", "audit", "outcome"].includes(name)
    )
    const documented = new Set(
      table("Of `serve`", "record").flatMap(([, , cell]) => names(cell).filter((name) => !/[. ]/.test(name)))
    )
    expect(sorted([...documented])).toEqual(sorted(expected))
  })
})
