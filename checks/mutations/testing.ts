import { mutations, type Mutation } from "./Mutation.ts"

/** What tests of other programs rely on. */
export const testing: ReadonlyArray<Mutation> = [
  ...mutations("testing/src/InMemoryTransport.ts", "testing/test/handle.test.ts", {
    "a printed request shows its credentials": ['["authorization", ...names]', 'names.filter((name) => name === "")'],
    "a printed request shows its query": ["path: pathOf(request)", "path: request.url"],
    "a handler's defect is a 500": ["if (Result.isSuccess(defect)) return yield* Effect.die(defect.success)\n", "\n"],
    "a reply that does not fit is a 500": ["Exit.isSuccess(ended.exit) && response.status === 500", "false"],
    "a reply that does not fit does not say where": [": ${encoded.failure.message}", ""],
    "a reply has to have every field": ["lenient: true", "lenient: false"],
    "the first reply counts": [
      "[known(operation, reply), ...current.all]",
      "[...current.all, known(operation, reply)]"
    ],
    "the last reply takes the requests of others": ["...current.all].sort(byOperation)", "...current.all]"],
    "a request is an input of operations that did not answer it": ["Input.order(answered, operation) === 0", "true"],
    "a reply has a rate limit of its own": ["counters.get(name) ?? counter(", "counter("],
    "a call that nothing answers is not explained": ["response.status === 404 || response.status === 405", "false"],
    "a path in the base URL is not explained": ["return isBelowPrefix", "return all.length === 0"],
    "an endpoint is not found by an ID in upper case": [
      "ReversePrivateEndpointId.make(reversePrivateEndpointId.toLowerCase())",
      "reversePrivateEndpointId"
    ],
    "a key is not found by an ID in upper case": ["ApiKeyId.make(keyId.toLowerCase())", "keyId"],
    "requests are from the beginning of the time": ["receivedAt: clock.currentTimeMillisUnsafe()", "receivedAt: 0"]
  }),
  ...mutations("service/src/Input.ts", "testing/test/handle.test.ts", {
    "a request has the input of another method": ["method !== operation.method || ", ""]
  }),
  ...mutations("testing/src/Faults.ts", "testing/test/Faults.test.ts", {
    "faults on an operation befall others too": ["if (!isAffected(request)) return send\n", "\n"],
    "faults on an operation befall other methods": ["if (request.method !== method) return false\n", "\n"],
    "faults on an operation befall other paths": ["part === segments[i]", "true"],
    "faults on an operation need a base URL without a path": [".slice(-template.length)", ""],
    "a response without a body breaks off": ["if (isBodiless(response)) return", "if (false) return"],
    "a response to HEAD stalls": ['request.method === "HEAD" || ', ""],
    "nobody learns of faults that did not happen": ["used < total", "false"],
    "the console of a test keeps faults that did not happen to itself": [
      "Effect.provideService(Console.Console, platform)",
      "Effect.asVoid"
    ],
    "faults without an end are said not to have happened": ["isList(faults) ? faults.length : 0", "1000"],
    "a faulty transport loses its handle": ["Layer.provideMerge(transport)", "Layer.provide(transport)"]
  })
]
