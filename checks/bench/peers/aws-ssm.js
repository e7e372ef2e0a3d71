import { DeleteParameterCommand, DescribeParametersCommand, GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm"

const client = new SSMClient({ region: "us-east-1", credentials: { accessKeyId: "id", secretAccessKey: "secret" } })

const { Parameters } = await client.send(new DescribeParametersCommand({}))
await client.send(new DeleteParameterCommand({ Name: "name" }))
console.log(Parameters, await client.send(new GetParameterCommand({ Name: "name" })))
