/** The other end of the measurements, in a process of its own: one fixed envelope, or Neon's list of API keys. */
import { createServer } from "node:http"
import { listen } from "../fixtures/Listener.ts"

const body = JSON.stringify({
  status: 200,
  requestId: "0b2c1f5e-6d3a-4c7b-9e8f-1a2b3c4d5e6f",
  result: {
    id: "a0000000-0000-4000-8000-0000000000e1",
    serviceId: "a0000000-0000-4000-8000-0000000000a1",
    description: "orders",
    type: "VPC_ENDPOINT_SERVICE",
    vpcEndpointServiceName: "com.amazonaws.vpce.eu-west-1.vpce-svc-0123456789abcdef0",
    endpointId: "vpce-0123456789abcdef0",
    dnsNames: ["vpce-0123456789abcdef0.example.com"],
    privateDnsNames: ["orders.internal.example.com"],
    status: "Ready"
  }
})
/** For a library that accepts only the responses of Neon; about as many bytes. */
const keys = JSON.stringify(
  [1, 2].map((id) => ({
    id,
    name: `key ${id} of the deployment, long name`,
    created_at: "2026-01-01T00:00:00Z",
    created_by: { id: "a0000000-0000-4000-8000-0000000000e1", name: "orders", image: "" },
    last_used_at: null,
    last_used_from_addr: "203.0.113.7"
  }))
)
const headersOf = (body: string) => ({ "content-type": "application/json", "content-length": Buffer.byteLength(body) })

const server = createServer(({ url }, response) => {
  const answer = url === "/api_keys" ? keys : body
  response.writeHead(200, headersOf(answer)).end(answer)
})
server.keepAliveTimeout = 600_000 // a connection waits for the next turn of its variant
process.send?.(await listen(server))
process.on("disconnect", () => process.exit())
