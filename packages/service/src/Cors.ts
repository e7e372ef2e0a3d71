import * as HttpMiddleware from "effect/http/HttpMiddleware"

/**
 * Lets pages of exactly these origins (`https://app.example.com`) call an HTTP application, and read the headers that
 * the client understands. Pages of every other origin are refused by their browser. No cookies are asked for.
 *
 * Source: the CORS protocol of the Fetch standard.
 */
export const allow = (origins: ReadonlyArray<string>) =>
  HttpMiddleware.cors({
    allowedOrigins: (origin) => origins.includes(origin),
    allowedMethods: ["GET", "HEAD", "DELETE"],
    allowedHeaders: ["authorization"],
    exposedHeaders: ["x-request-id", "retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
    maxAge: 600
  })
