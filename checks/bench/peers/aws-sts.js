import { AssumeRoleCommand, GetCallerIdentityCommand, GetSessionTokenCommand, STSClient } from "@aws-sdk/client-sts"
const client = new STSClient({ region: "us-east-1", credentials: { accessKeyId: "id", secretAccessKey: "secret" } })
await client.send(new GetCallerIdentityCommand({}))
await client.send(new GetSessionTokenCommand({}))
console.log(await client.send(new AssumeRoleCommand({ RoleArn: "arn", RoleSessionName: "name" })))
