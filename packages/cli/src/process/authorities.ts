import { readFileSync } from "node:fs"

/** Whether a file can be read and has a certificate. */
export const has = (path: string): boolean => {
  try {
    return readFileSync(path).includes("-----BEGIN ")
  } catch {
    return false
  }
}

const end = "-----END CERTIFICATE-----"
export const certificatesOf = (text: string) =>
  text
    .split(end)
    .slice(0, -1)
    .map((part) => part.slice(part.indexOf("-----BEGIN CERTIFICATE-----")) + end)

/** In place of Node's own, as other programs do. With `NODE_USE_SYSTEM_CA=1`, Node does it by itself. */
export const trust = ({ NODE_USE_SYSTEM_CA: system, SSL_CERT_FILE: path = "" }: NodeJS.ProcessEnv): void => {
  if (path === "" || system === "1") return
  if (!has(path)) {
    return process.emitWarning(`SSL_CERT_FILE is ignored: ${path} cannot be read, or contains no certificate`)
  }
  // loaded before it is needed, it would slow down the start
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule("node:tls")
  setDefaultCACertificates([...certificatesOf(readFileSync(path, "utf8")), ...getCACertificates("extra")])
}
