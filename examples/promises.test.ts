/** A test of a program on promises against the service itself (docs/library/promise.md). */
import { CloudManagement } from "@cloud-management/promise"
import * as CloudService from "@cloud-management/service/CloudService"
import * as WebHandler from "@cloud-management/service/WebHandler"
import * as Fixtures from "@cloud-management/testing/Fixtures"
import * as InMemoryTransport from "@cloud-management/testing/InMemoryTransport"
import * as Layer from "effect/Layer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { afterAll, expect, it } from "vitest"

const { dispose, handler } = WebHandler.make(
  CloudService.layer().pipe(
    Layer.provide(InMemoryTransport.layerStore(Fixtures.seed)),
    Layer.provide(SecureRandom.layerWebCrypto)
  ),
  { remoteAddress: () => "127.0.0.1" }
)
afterAll(dispose)

it("reads the organization of a key", async () => {
  await using cloud = new CloudManagement({
    baseUrl: "https://api.example.com",
    keyId: Fixtures.deployKey.id,
    keySecret: Fixtures.deployKey.secret,
    fetch: (url, init) => handler(new Request(url, init))
  })
  const [organization] = await cloud.organizations.list()
  expect(organization.name).toBe("Acme")
})
