import * as NodeTransport from "@cloud-management/node/NodeTransport"
import { call } from "./call.js"

call(NodeTransport.layer)
