import { cloud } from "../cloud.js"

/** Without `connection()`, it is made during the build, from a call without settings. */
export default async function Page() {
  return <p>{await cloud.organizations.list().catch((error) => error.name)}</p>
}
