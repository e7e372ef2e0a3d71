import OpenAI from "openai"

const client = new OpenAI({ apiKey: "secret", baseURL: process.env.BASE_URL })
await client.models.retrieve("model")
process.exit()
