import "./client.ts"
import { Api } from "@cloud-management/core/Contract"

console.log(Api)
