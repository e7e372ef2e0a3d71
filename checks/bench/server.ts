/** The other end of the measurements, in a process of its own: one fixed envelope. */
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
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }

const server = createServer((_, response) => void response.writeHead(200, headers).end(body))
server.keepAliveTimeout = 600_000 // a connection waits for the next turn of its variant
process.send?.(await listen(server))
process.on("disconnect", () => process.exit())
