import { cloud } from "../seen/cloud.js"

/** What its call rejects with goes to Next.js. */
export default async function Page() {
  const [organization] = await cloud.organizations.list()
  return <p>{organization.name}</p>
}
