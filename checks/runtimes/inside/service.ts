/** The service that the cases assume, behind the web handler: what workerd, `bun run` and `deno serve` ask a module for. */
import { WebHandler } from "@cloud-management/service"
import { ConformanceService } from "@cloud-management/testing"

const { handler } = WebHandler.make(ConformanceService.layer, { remoteAddress: () => "127.0.0.1" })

export default { fetch: (request: Request) => handler(request) }
