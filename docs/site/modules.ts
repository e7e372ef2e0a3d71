/** The groups in which the reference lists the modules. One without a line fails the build. */
export const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Call any API": {
    "client/Client": "A client of any API: its options, methods and pages",
    "client/Operation": "An operation as a value: path, query, headers, body, successes, refusals, limits",
    "client/CallError": "The error of every call: its reason, and whether the call may have taken effect",
    "client/Refusal": "Errors that a service declares, and how they are recognized",
    "client/Credentials": "Basic, bearer, keys in headers and queries, and tokens that are renewed",
    "client/Retry": "When and how often a failed call is sent again",
    "client/Deadline": "How long an attempt and a call may take",
    "client/Pacing": "Requests no faster than a service admits them",
    "client/Pagination": "Lists, page by page",
    "client/RequestHeaders": "A header for each request of a region",
    "client/Body": "Contents: JSON, forms, multipart, text, bytes, streams, lines, events",
    "client/Style": "How a query or a form writes lists and objects",
    "client/Wire": "Schemas of what is sent: open enums, 64-bit integers, null and absence",
    "client/Envelope": "Successes and refusals inside an envelope",
    "client/HttpApi": "A client of an Effect HttpApi, from its declaration",
    "client/Contract": "An Effect HttpApi from operations",
    "client/Event": "What a client reports: attempts, waits, ends",
    "client/Log": "Logs of calls",
    "client/Metrics": "Metrics of calls",
    "client/Telemetry": "Names of spans, attributes and metrics",
    "client/Transport": "The service that sends requests, to write a transport of your own",
    "client/CallErrorSchema": "A schema of an error, to send it elsewhere",
    "client/OptionRules": "Checks of options, for packages built on the client",
    "client/SecretFinder": "Removes secrets from texts"
  },
  "The Cloud Management API": {
    "core/CloudManagement": "The client of the API, and its layers",
    "core/Operations": "The operations of the API",
    "core/Organization": "Organizations",
    "core/ApiKey": "API keys",
    "core/ReversePrivateEndpoint": "Reverse private endpoints",
    "core/Refusals": "The errors that the API declares",
    "core/Advice": "What to do for each reason of a failure",
    "core/Waiting": "Waits until an endpoint has a status",
    "core/Settings": "The settings of a client, from the environment",
    "core/Contract": "The API as an Effect HttpApi"
  },
  "Transports and promises": {
    "node/NodeTransport": "The transport of Node.js, over undici",
    "node/TransportOptions": "Proxies, TLS, connections and timeouts of the transport",
    "node/NodeFile": "A file as the body of an upload",
    "browser/FetchTransport": "The transport over fetch: pages, workers, the edge, Bun, Deno",
    "promise/Client": "A client of any API for programs without Effect",
    "promise/CloudManagement": "The Cloud Management API for programs without Effect",
    "promise/Call": "The details of a success, and the options of a call",
    "promise/CallError": "The errors, as classes to catch",
    "promise/node": "All of it over undici"
  },
  Test: {
    "testing/Mock": "A service in memory from the operations of any document",
    "testing/InMemoryTransport": "The Cloud Management service in memory, with a handle",
    "testing/Faults": "Lost responses, stalled bodies, gateways and other trouble, for a test",
    "testing/Recorder": "Records real responses, and replays them",
    "testing/VirtualTime": "A clock for tests that do not know how long they wait",
    "testing/Fixtures": "Content for the service in memory",
    "testing/Conformance": "The contract of client and service as test cases for a transport",
    "testing/ConformanceService": "The service that the conformance cases need",
    "testing/Echo": "An API whose operations have every form, for tests of a transport"
  },
  Serve: {
    "service/Service": "Serves the operations of any API: a request to its response",
    "service/Handlers": "The work of operations",
    "service/WebHandler": "The service as a function from Request to Response",
    "service/HttpRequest": "A request as a host passes it",
    "service/RequestInput": "Decodes a request to the input of an operation",
    "service/ResponseOutput": "Encodes a result or a refusal",
    "service/KeyStore": "API keys, as the service checks them",
    "service/ApiKeySecret": "Secrets of keys, and their digests",
    "service/RateLimitStore": "Counts requests of a key, on one node or several",
    "service/Audit": "Records who changed what",
    "service/AccessLog": "A line for each request",
    "service/Metrics": "Metrics of the service",
    "service/Telemetry": "Names of spans, attributes and metrics of the service",
    "service/CloudService": "The operations of the Cloud Management API, implemented",
    "service/Store": "Where the service keeps its content",
    "service/Administration": "Changes by operators",
    "service/Seed": "The content of a store as a value",
    "service/MemoryStore": "A store in memory",
    "service/Revocations": "Deleted keys that other nodes have to learn of",
    "service/Moment": "Times in a store",
    "service/node/HttpHost": "Serves over HTTP and TLS on Node.js",
    "service/node/MetricsHost": "Serves metrics and health on a port of its own",
    "service/node/Database": "A database by its URL or path",
    "service/node/TrustedProxies": "Proxies whose client addresses are believed"
  }
}

export const purposes: ReadonlyMap<string, string> = new Map(Object.values(groups).flatMap(Object.entries))

export const page = [
  `---\n${JSON.stringify({ title: "Modules", description: "What each module is for", editUrl: false, sidebar: { hidden: true } })}\n---`,
  "Each module is imported by its name, as `@cloud-management/client/Retry`, or from its package, as `{ Retry }`.",
  ...Object.entries(groups).flatMap(([title, modules]) => [
    `## ${title}`,
    ["| module | for |", "| --- | --- |"]
      .concat(Object.entries(modules).map(([name, what]) => `| [\`${name}\`](/api/${name.toLowerCase()}/) | ${what} |`))
      .join("\n")
  ])
].join("\n\n")
