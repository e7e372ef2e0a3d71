/** The cause of the failure of a request that met a closed transport: a new one, or one in flight (`isSent`). */
export class TransportClosed extends Error {
  override readonly name = "TransportClosed"
  readonly code = "ERR_TRANSPORT_CLOSED"
  /** The request was waiting for it, if it was sent: its outcome is unknown then. */
  readonly syscall: "read" | undefined

  constructor(isSent: boolean) {
    super("the transport's layer is closed; keep its scope open")
    this.syscall = isSent ? "read" : undefined
  }
}
