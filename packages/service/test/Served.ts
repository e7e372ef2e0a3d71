import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Service from "@cloud-management/service/Service"
import { Store } from "@cloud-management/service/Store"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"

/** The transport, the service and its store with the fixtures, all new. `alter` replaces methods of the store. */
export const served = (
  options: Service.Options = {},
  alter: (store: Store["Service"]) => Partial<Store["Service"]> = () => ({})
) =>
  InMemoryTransport.layerService.pipe(
    Layer.provideMerge(Service.layer(options)),
    Layer.provideMerge(
      Layer.effect(
        Store,
        Effect.map(Store, (store) => Store.of({ ...store, ...alter(store) }))
      )
    ),
    Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
    Layer.provide(SecureRandom.layerWebCrypto)
  )
