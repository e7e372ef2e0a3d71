/** The statuses whose responses have no body, whatever their headers say (RFC 9110 §6.4.1): `Response` takes none with them. */
const statuses: ReadonlyArray<unknown> = [101, 204, 205, 304]

export const isStatus = (status: unknown): boolean => statuses.includes(status)

/** Whether a response has no body, by its request (RFC 9110 §9.3.2) or its status. */
export const is = ({ request, status }: { readonly request: { readonly method: string }; readonly status: number }) =>
  request.method === "HEAD" || isStatus(status)
