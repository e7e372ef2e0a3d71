/**
 * Stands for a redirect, or for the answer from behind one, of which a browser tells neither status nor target (Fetch
 * standard, "opaque-redirect filtered response"). Status 0 is no refusal: what it hides can be a 303, which answers a
 * request that was carried out (RFC 9110 §15.4.4).
 */
export class Redirected extends Response {
  override readonly status = 0
}
