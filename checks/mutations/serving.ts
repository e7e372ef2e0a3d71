import { mutations } from "./Mutation.ts"

/** What `serve` owes to its operators. */
export const serving = [
  ...mutations("service/src/Service.ts", "service/test/AccessLog.test.ts", {
    "the access log has no keys": ["exchange.access.keyId = keyId", "exchange.access.keyId = undefined"],
    "the access log has paths": ["access.route = matched.handler.template", "access.route = path"]
  }),
  ...mutations("service/src/internal/accesses.ts", "service/test/AccessLog.test.ts", {
    "the access log: a caller that left counts as answered": ["exit.value.status : left", "exit.value.status : 200"]
  })
]
