import { Effect, Layer, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Audit, CloudService, Service } from "@cloud-management/service"
import { Store } from "@cloud-management/service/Store"
import { Fixtures, InMemoryTransport } from "@cloud-management/testing"

const { acme, analytics, deployKey, readyEndpoint } = Fixtures

export const basic = ({ id, secret }: { readonly id: string; readonly secret: string } = deployKey) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`

export const organizations = "/v1/organizations"
export const keyPath = (keyId: string, organizationId: string = acme) =>
  `${organizations}/${organizationId}/keys/${keyId}`
export const endpointPath = (
  endpointId: string = readyEndpoint,
  serviceId: string = analytics,
  organizationId: string = acme
) => `${organizations}/${organizationId}/services/${serviceId}/pipesReversePrivateEndpoints/${endpointId}`

export const recorder = () => {
  const written: Array<object> = []
  const audit: Audit.Recorder = (event, fields) =>
    Effect.sync(() => void written.push(JSON.parse(JSON.stringify({ event, ...fields }))))
  return { written, audit }
}

/** An entry of the log. */
interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: object
  readonly cause?: string
}

/** Runs an effect, and gives what was logged meanwhile. */
export const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<Line> = []
    const logger = Logger.map(Logger.formatJson, (line) => void lines.push(JSON.parse(line)))
    return Effect.map(Effect.provide(effect, Logger.layer([logger])), (value) => ({ value, lines }))
  })

/** A service of own operations over a store with the fixtures. */
export const over = <E>(service: Layer.Layer<Service.Service, E, Store | SecureRandom.SecureRandom>) =>
  service.pipe(Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)), Layer.provide(SecureRandom.layerWebCrypto))

/** The transport, the service and its store with the fixtures, all new. `alter` replaces methods of the store. */
type Stored = Store["Service"]

export const served = (options: Service.Options = {}, alter: (store: Stored) => Partial<Stored> = () => ({})) =>
  InMemoryTransport.layerService.pipe(
    Layer.provideMerge(CloudService.layer(options)),
    Layer.provideMerge(
      Layer.effect(
        Store,
        Effect.map(Store, (store) => Store.of({ ...store, ...alter(store) }))
      )
    ),
    Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
