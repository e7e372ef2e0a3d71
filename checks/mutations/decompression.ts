import { mutations, type Mutation } from "./Mutation.ts"

/** What the transport for Node does to a body. */
export const decompression: ReadonlyArray<Mutation> = mutations(
  "node/src/internal/decompression.ts",
  "node/test/NodeTransport.test.ts",
  {
    "a coding is known in lower case only": [".toLowerCase()", ""],
    "x-gzip is another coding than gzip": ['["x-gzip", () => createGunzip()],', ""],
    "deflate always has the wrapper of zlib": ["(first & 15) === 8", "first >= 0"],
    "what follows gzip is read without an end": ["if (decoder?.readableEnded) return Cause.done()", ""],
    "no coding at all is an unknown one": [' && coding !== "identity"', ""],
    "the coding that was applied first is undone first": [".reduceRight(", ".reduce("],
    "a body in an unknown coding is read as it is": ["if (unknown !== undefined) {", "if (false) {"],
    "a body in an unknown coding is asked for again": ['"INVALID_CONTENT_CODING"', '"ECONNRESET"'],
    "a response to HEAD has a body": ['response.request.method === "HEAD" ||\n', ""],
    "any number of codings is undone": ['codings.length > mostCodings ? codings.join(", ") : ', ""],
    "a body that is not read goes on coming": ["    exchange.abort()\n", ""]
  }
)
