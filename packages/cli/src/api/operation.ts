/** What generated code takes of the client's `Operation`. */
export { cursor, declare, headers, idempotencyKey, link } from "@cloud-management/client/Operation"
export { offset, pageNumber, query } from "@cloud-management/client/Operation"
