import prepare from "@mongodb-js/saslprep"

/** A password as SCRAM takes it (RFC 5802 §2.2, RFC 4013); like PostgreSQL, as it is if it cannot be prepared. */
export const saslprep = (password: string): string => {
  try {
    return prepare(password)
  } catch {
    return password
  }
}
