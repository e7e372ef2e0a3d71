import * as FetchTransport from "@cloud-management/browser/FetchTransport"
import { call } from "./call.js"

call(FetchTransport.layer)
