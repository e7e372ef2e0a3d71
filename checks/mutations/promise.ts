import { mutations, type Mutation } from "./Mutation.ts"

const end = "            reject(error)\n            fiber.interruptUnsafe()\n"

/** The client on promises: what becomes of a call that is aborted, closed or fails, and of its dates. */
export const promise: ReadonlyArray<Mutation> = [
  ...mutations("promise/src/internal/connection.ts", "promise/test/abort.test.ts", {
    "an abort waits for the call's own end": [end, "            fiber.interruptUnsafe()\n"],
    "an abort leaves the request running": [end, "            reject(error)\n"],
    "an abort while a request is sent is lost": [
      'signal?.addEventListener("abort", abort)\n',
      'queueMicrotask(() => signal?.addEventListener("abort", abort))\n'
    ],
    "a client that is closed while a request is sent lets its call run": [
      "running.set(fiber, end)\n",
      "queueMicrotask(() => running.set(fiber, end))\n"
    ],
    "a signal that is aborted already is not looked at": ["signal?.aborted === true", "false"],
    "a signal keeps its listener": ['signal?.removeEventListener("abort", abort)', ""],
    "what is not an error is thrown": [
      'isError(reason) ? reason : new AbortError("the call was aborted", { cause: reason })',
      "Object(reason)"
    ],
    "a client that is closed takes calls": ["if (closing !== undefined) return", "if (false) return"],
    "a client that is closed lets its calls run": [
      "for (const end of running.values()) end(",
      "for (const end of []) end("
    ]
  }),
  ...mutations("promise/src/internal/connection.ts", "promise/test/CloudError.test.ts", {
    "a defect that is not an error is thrown": [
      'isError(error) ? error : new CloudManagementError("the call failed", { cause: error })',
      "Object(error)"
    ]
  }),
  ...mutations("promise/src/internal/failure.ts", "promise/test/CloudError.test.ts", {
    "a refusal has no class of its own": ["byStatus[reason.status] ?? ", ""],
    "an error does not say when to come back": ["retryAfter: Duration.toMillis(retryAfter)", ""]
  }),
  ...mutations("promise/src/internal/client.ts", "promise/test/pages.test.ts", {
    "a cursor that comes again is followed": ["next !== undefined && seen.has(next) ? undefined : next", "next"],
    "a list in pages cannot be aborted": ["      }),\n      signal,\n", "      }),\n      undefined,\n"]
  }),
  ...mutations("promise/src/internal/client.ts", "promise/test/CloudManagement.test.ts", {
    "a call takes options that it does not have": ["Settings.checkCall(options)\n", "\n"],
    "a call has no timeout of its own": ["Deadline.within(policies.deadline), ", ""],
    "a call has no number of retries of its own": [", Retry.within(policies.retry)", ""]
  }),
  ...mutations("promise/src/internal/dates.ts", "promise/test/CloudManagement.test.ts", {
    "a schema of Date gets a DateTime": ["Object.assign(DateTime.toDateUtc(utc), ", "Object.assign({}, "],
    "a result has a DateTime": ["DateTime.toDateUtc(leaf)", "leaf"]
  }),
  ...mutations("promise/src/internal/dates.ts", "promise/test/dates.test.ts", {
    "a schema of DateTime gets a Date": ["toBoth(leaf)", "leaf"],
    "a date is no Date as text": [", { toString: () => date.toString() }", ""],
    "an invalid date is made a DateTime": ["Number.isNaN(date.getTime())", "false"],
    "an object that is there twice is copied twice": ["copy === undefined", "true"],
    "an object with a class is copied": ["Schema.isSchema(prototype.constructor)", "true"],
    "an object of a schema's class keeps its DateTime": ["Schema.isSchema(prototype.constructor)", "false"],
    "an object of a schema's class loses it": ["Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(value))\n", "\n"],
    "content is converted by recursion": [
      "Reflect.set(copy, key, copyOf(field))",
      "Reflect.set(copy, key, mapLeaves(field, convert))"
    ]
  }),
  ...mutations("promise/src/internal/settings.ts", "promise/test/CloudManagement.test.ts", {
    "a client takes options that it does not have": ["check(options, ofClient)\n", "\n"],
    "what every object has is an option": ["!Object.hasOwn(names, name)", "!(name in names)"],
    "credentials that are not a function are taken": ["!Predicate.isFunction(credentials)", "false"],
    "an empty variable is a setting": [' && value !== ""', ""],
    "the environment goes before the options": [
      "options[name] ?? environment(variables[name])",
      "environment(variables[name]) ?? options[name]"
    ],
    "a timeout of 0 is taken": ["limit > 0", "limit >= 0"],
    "half a retry is taken": ["Number.isInteger(maxRetries) && ", ""]
  }),
  ...mutations("promise/src/internal/settings.ts", "promise/test/credentials.test.ts", {
    "a function that returns no key is not named": [
      "Predicate.isString(keyId) && Predicate.isString(keySecret)",
      "true"
    ],
    "a key is taken beside a function that reads one": ["(keyId ?? keySecret) !== undefined", "false"],
    "a key that is read later has to be in the environment": [
      'credentials !== undefined && name !== "baseUrl"',
      "false"
    ]
  }),
  ...mutations("promise/src/internal/connection.ts", "promise/test/credentials.test.ts", {
    "a first read that fails is never repeated": ["connection.catch(forget)", "connection.catch(() => {})"],
    "each of the first calls reads the key": ["connection = connecting ?? ", "connection = "],
    "a first read takes as long as it takes": ["policies.deadline.attempt ?? Deadline.standard.attempt", "Infinity"]
  }),
  ...mutations("promise/src/Call.ts", "promise/test/CloudManagement.test.ts", {
    "an error of withResponse is reported twice": ["this.catch(() => {})", ""]
  })
]
