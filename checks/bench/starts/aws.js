import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm"

const client = new SSMClient({
  region: "us-east-1",
  endpoint: process.env.BASE_URL,
  credentials: { accessKeyId: "id", secretAccessKey: "secret" }
})
await client.send(new GetParameterCommand({ Name: "name" }))
process.exit()
