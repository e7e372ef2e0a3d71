import OpenAI from "openai"

const client = new OpenAI({ apiKey: "secret", dangerouslyAllowBrowser: true })

const { data } = await client.models.list()
await client.models.delete("model")
console.log(data, await client.models.retrieve("model"))
