/** The exports of the client's `Operation` that generated code uses. */
export { cursor, declare, headers, idempotencyKey, link } from "@cloud-management/client/Operation"
export { offset, pageNumber, query } from "@cloud-management/client/Operation"
