import { CloudManagement } from "@cloud-management/promise"

/** Its only request is made by the default client, which Next.js does not see. */
export default async function Page() {
  const [organization] = await new CloudManagement().organizations.list()
  return <p>{organization.name}</p>
}
