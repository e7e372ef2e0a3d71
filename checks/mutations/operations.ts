import { mutations, type Mutation } from "./Mutation.ts"

const unrepeatable = 'state.outcome === "unknown" && !state.isRepeatable'

const echo = "testing/test/Conformance.test.ts > in memory > operations: "

/** Operations of any kind: requests, responses, repetition and lists by pages. */
export const operations: ReadonlyArray<Mutation> = [
  ...mutations("core/src/Operations.ts", "core/test/response.test.ts > an error envelope ", {
    "the reasons of an operation lack its own 404": ["commonRefusals, ApiKeyNotFound]", "commonRefusals]"]
  }),
  ...mutations("core/src/CloudError.ts", "core/test/retries.test.ts", {
    "a 408 is not retryable": ["[408, 429, ", "[429, "]
  }),
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts > what follows ", {
    "a POST that may have been applied is sent again": [unrepeatable, "false"],
    "a POST that was refused is not sent again": [unrepeatable, "!state.isRepeatable"],
    "a POST that was never sent is not sent again": [unrepeatable, 'state.outcome !== "refused" && !state.isRepeatable']
  }),
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts > a request that may have been applied ", {
    "a POST is idempotent": ['method !== "POST" && ', ""],
    "a PATCH is idempotent": [' && method !== "PATCH"', ""],
    "an operation cannot declare that it is idempotent": ["repeat === undefined ? ", "true ? "],
    "an operation cannot declare that it is not idempotent": ['repeat !== "not-idempotent"', "true"]
  }),
  ...mutations("core/src/internal/policy.ts", "core/test/policy.test.ts > what follows an attempt that failed ", {
    "a hint that is shorter than the wait counts as its cause": ['hint > jitter ? "hint"', 'hint > 0 ? "hint"'],
    "a hint up to the very deadline is not declined": ["hint >= timeLeft", "hint > timeLeft"],
    "a wait up to the very deadline is begun": ["|| wait >= timeLeft", "|| wait > timeLeft"],
    "a wait that was drawn hides the hint": ["hinted: hint > 0", "hinted: hint > jitter"],
    "every wait without time declines a hint": [
      '{ _tag: "Fail", hintDeclined }',
      '{ _tag: "Fail", hintDeclined: true }'
    ],
    "a hint that is declined is not counted": [
      '{ _tag: "Fail", hintDeclined }',
      '{ _tag: "Fail", hintDeclined: false }'
    ]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/Client.test.ts > a POST ", {
    "each attempt has an idempotency key of its own": [
      "trace === undefined ? request :",
      'trace === undefined ? HttpClientRequest.setHeader(request, "idempotency-key", String(attempts).padStart(32, "0")) :'
    ],
    "all calls have the same idempotency key": ["operation.repeat.make :", 'Effect.succeed("0".repeat(32)) :']
  }),
  ...mutations("core/src/internal/request.ts", "core/test/Client.test.ts > a POST ", {
    "the idempotency key has one header, whatever the operation says": [
      "repeat.header, idempotencyKey",
      '"idempotency-key", idempotencyKey'
    ]
  }),
  ...mutations("core/src/Operation.ts", "core/test/Client.test.ts > a POST ", {
    "an idempotency key has 32 bits": ["{ halfOpen: true }), 4)", "{ halfOpen: true }), 1)"]
  }),
  ...mutations("core/src/internal/call.ts", "core/test/Client.test.ts > a request carries ", {
    "an operation can send another key than the client's": [
      '"authorization",\n',
      '"authorization" in request.headers ? "x-key" : "authorization",\n'
    ]
  }),
  ...mutations("core/src/internal/request.ts", "core/test/Client.test.ts > a request carries ", {
    "a query is left out": ["if (query !== undefined) url +=", "if (query === null) url +="],
    "a payload is left out": ["if (payload !== undefined)", "if (payload === null)"],
    "every request accepts JSON": ["accept: success.accept", 'accept: "application/json"']
  }),
  ...mutations("core/src/Operation.ts", "core/test/Client.test.ts > a request carries ", {
    "a header can hold a line break": ["!fieldValue.test(value)", "false"],
    "a header can end with a space": ["/^(?:[!-~](?:[\\t -~]*[!-~])?)?$/", "/^[\\t -~]*$/"]
  }),
  ...mutations("core/src/internal/content.ts", "core/test/Client.test.ts > a request carries ", {
    "a query can hold half of a surrogate pair": [
      "parameters.append(name, wellFormed(name, value))",
      "parameters.append(name, value)"
    ],
    "a parameter has one value": [
      "for (const value of [values ?? []].flat())",
      "for (const value of [values ?? []].flat().slice(0, 1))"
    ]
  }),
  ...mutations("core/src/Body.ts", "core/test/Client.test.ts > a request carries ", {
    "a text can hold half of a surrogate pair": ['Content.wellFormed("payload", text)', "text"],
    "a form is sent as JSON": ["HttpBody.text(Content.urlEncoded(fields), ", "HttpBody.text(JSON.stringify(fields), "],
    "bytes are read as text": ["read: Result.succeed,", "read: (bytes) => Result.succeed(Content.utf8(bytes)),"]
  }),
  ...mutations("core/src/Client.ts", "core/test/Client.test.ts > a request carries ", {
    "a method returns the whole envelope": ["unwrap === undefined ? value : unwrap(value)", "value"]
  }),
  ...mutations("core/src/internal/response.ts", "core/test/Client.test.ts > exchange ", {
    "a success has no request ID but that of its envelope": [
      "(Predicate.isString(own) && own) || header",
      "String(own)"
    ],
    "the request ID of the header goes before that of the envelope": [
      "(Predicate.isString(own) && own) || header",
      "header ?? String(own)"
    ]
  }),
  ...mutations("core/src/Envelope.ts", "core/test/response.test.ts > a success ", {
    "a 204 is no success of an operation without a result": ["head.status === 204 || ", ""],
    "a 205 is no success of an operation without a result": [" || head.status === 205", ""]
  }),
  ...mutations("core/src/Pagination.ts", "core/test/Pagination.test.ts > a cursor ", {
    "a cursor that was there before is followed": [" || seen.has(next)", ""],
    "the cursor that a list was begun at is followed again": ["from === undefined ? [] : [from]", ""],
    "an empty cursor is followed": [' && next !== ""', ""],
    "a cursor of null is followed": ["Predicate.isString(next) && ", "next !== undefined && "],
    "a page without items ends the list": [
      "next === undefined || seen.has(next)",
      "items.length === 0 || next === undefined || seen.has(next)"
    ],
    "a cursor in the query goes before the page's": [
      "{ ...own, [pagination.query]: place }",
      "{ [pagination.query]: place, ...own }"
    ],
    "the rest of the query is left out from the second page on": [
      "{ ...own, [pagination.query]: place }",
      "{ [pagination.query]: place }"
    ],
    "a list begins at its first page, wherever it was to go on": [
      "Stream.paginate(from, ",
      "Stream.paginate(undefined, "
    ]
  }),
  ...mutations("core/src/Pagination.ts", "core/test/Pagination.test.ts > an offset ", {
    "an offset goes on after a page without items": ["count === 0 ? undefined : ", ""],
    "an offset counts the items of one page": ["Number(query[pagination.query] ?? 0) + count", "count"]
  }),
  ...mutations("core/src/Pagination.ts", "core/test/Pagination.test.ts > a link ", {
    "a link is followed whole": [")?.[1]", ")?.[0]"],
    "other parameters stay beside those of a link": [
      "return Object.fromEntries(fields)",
      "return { ...own, ...Object.fromEntries(fields) }"
    ],
    "the fragment of a link is a part of its query": ["([^#]*)", "(.*)"],
    "the query of a link can begin in its fragment": ["^[^?#]*", "^[^?]*"],
    "any link leads to the next page": ['.includes("next")', ".length > 0"],
    "a link has one relation": [".split(/\\s/)", ""],
    "the relation of a link is in quotes": ["quoted ?? token", "quoted"],
    "the relation of a link is not in quotes": ["quoted ?? token", "token"],
    "the relation of a link is in lower case": ['(quoted ?? token ?? "").toLowerCase()', '(quoted ?? token ?? "")'],
    "the name of a link's parameter is in lower case": ["name.toLowerCase()", "name"],
    "any parameter of a link is its relation": ['else if (name.toLowerCase() === "rel") {', "else {"],
    "the last relation of a link counts": ["      current = undefined\n", ""],
    "a comma does not end a link": [")|,/g", ")/g"],
    "a quote ends at the first quotation mark in it": ['(?:[^"\\\\]|\\\\[^])*', '[^"]*'],
    "of a link's parameters of one name the last counts": ["else values.push(value)", "else fields.set(name, [value])"]
  }),
  ...mutations("core/src/internal/policy.ts", "checks/faults/memory.test.ts > in memory: 504 in HTML after ", {
    "a POST of which a gateway reports a failure is sent again": [
      unrepeatable,
      `${unrepeatable} && state.status === undefined`
    ]
  }),
  ...mutations("core/src/internal/call.ts", "checks/faults/memory.test.ts > in memory: 504 in HTML after ", {
    "an idempotency key lasts for one attempt": [
      "++attempts, request.url",
      '++attempts, (request = HttpClientRequest.setHeader(request, typeof operation.repeat === "object" ? operation.repeat.header : "x", String(attempts))).url'
    ]
  }),
  ...mutations("service/src/internal/router.ts", echo, {
    "HEAD is answered as GET, whatever route it has": [
      'by(method) ?? (method === "HEAD" ? by("GET") : undefined)',
      'by(method === "HEAD" ? "GET" : method)'
    ]
  }),
  ...mutations("service/src/Service.ts", echo, {
    "a handler's headers are left out": ["headers === undefined ? response", "true ? response"],
    "a request without its idempotency key is served": ['typeof repeat === "object" && idempotencyKey === ""', "false"],
    "a handler does not learn the idempotency key": ["...(idempotencyKey !== undefined && { idempotencyKey }),", ""]
  }),
  ...mutations("service/src/Service.ts", "service/test/ownOperations.test.ts", {
    "an act is for the organization that the path spells": [
      "const forbidden = forbid(exchange, key, organizationOf(decoded))",
      "const forbidden = undefined"
    ],
    "a read is for the organization that the path spells": ["forbid(exchange, key, organizationOf(decoded)) ??", ""]
  }),
  ...mutations("service/src/internal/router.ts", "service/test/ownOperations.test.ts", {
    "the first of two routes that a path fits is taken": ["order(a.path, b.path)", "0"]
  }),
  ...mutations("service/src/internal/router.ts", "service/test/Router.test.ts", {
    "the second of two equal routes is never found": ["if (seen.has(shape))", "if (false)"]
  }),
  ...mutations("service/src/internal/input.ts", "service/test/ownOperations.test.ts", {
    "a header is found in lower case only": ["received[name.toLowerCase()]", "received[name]"]
  }),
  ...mutations("service/src/internal/input.ts", "service/test/input.test.ts", {
    "an empty array of a query is missing": ["for (const { name } of required) fields.set(String(name), [])", ""],
    "an array that may be undefined is a text": ['member._tag === "Undefined" || isArray(member)', "isArray(member)"],
    "a member of a union is taken for another that has only an array": ['ast._tag === "Objects" ?', "true ?"],
    "a text that may be an array is one": ["!single.has(name)", "true"]
  }),
  ...mutations("service/src/internal/input.ts", echo, {
    "a parameter that repeats is an array only if it does": ["repeated.has(name) ? [value] : value", "value"]
  }),
  ...mutations("service/src/Service.ts", "service/test/OpenApiDocument.test.ts > the document of another registry", {
    "a service of another registry shows the document of ours": ["openApi(operations)", "openApi(ours)"]
  }),
  ...mutations(
    "service/src/OpenApiDocument.ts",
    "service/test/OpenApiDocument.test.ts > the document of another registry",
    {
      "the document shows HEAD as GET, whatever operation it is": [" && path.head === undefined", ""],
      "the document leaves the idempotency key out": ['typeof operation.repeat === "object" && {', "false && {"],
      "the document leaves the parameters of the query out": ["fieldsOf(operation.query?.schema)", "{}"],
      "the document leaves the content of a request out": ["operation.payload !== undefined && {", "false && {"],
      "the document forbids unknown fields": ['name !== "additionalProperties" || inner !== false', "true"]
    }
  ),
  ...mutations("service/src/internal/cors.ts", "service/test/Cors.test.ts", {
    "a page may send the methods of our operations only": ["...operations.map(({ method }) => method)", '"DELETE"'],
    "a page may send no header but the key": [", ...operations.flatMap(headersOf)", ""],
    "a page may not send the type of its content": ['payload === undefined ? [] : ["content-type"]', "[]"],
    "a page may not send an idempotency key": ['typeof repeat === "object" ? [repeat.header] : []', "[]"],
    "a page cannot read the link to the next page": ['pagination?._tag === "Link"', "false"]
  })
]
