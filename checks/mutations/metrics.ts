import { mutations } from "./Mutation.ts"

const counts = "service/test/Metrics.test.ts > the (metrics|histograms) of a service"

/** What the service measures, and what may not be in it. */
export const metrics = [
  ...mutations("service/src/node/MetricsHost.ts", "service/test/Metrics.test.ts > the page of the metrics", {
    "the page of the metrics keeps limits of its own": ["{ ...standard, ...limits }", "standard"]
  }),
  ...mutations("service/src/internal/observed.ts", counts, {
    "a caller makes up methods": ['methods.has(request.method) ? request.method : "_OTHER"', "request.method"],
    "the end of a request is not reported": ['listener?.({ _tag: "RequestEnded"', '({ _tag: "RequestEnded"'],
    "deletions are not counted": ['listener({ _tag: "DeletionEnded"', '({ _tag: "DeletionEnded"']
  }),
  ...mutations("service/src/Metrics.ts", counts, {
    "a request stays under way": ["series.active--", "void series.active"],
    "a duration is in the bucket below its own": ["value > (boundaries[bucket] ?? value)", "false"],
    "a series begins with its first event": ["series(value).updateUnsafe(0, context)", "void value"]
  }),
  ...mutations("service/src/Service.ts", counts, {
    "a metric has the path of a request": ["template: Router.templateOf(path)", "template: path"],
    "failed authentications are not counted in metrics": ['emit({ _tag: "AuthenticationFailed", reason })', ""]
  }),
  ...mutations("cli/src/serve/metrics.ts", "cli/test/metrics.test.ts > the metrics of serve > are refused", {
    "the page of metrics takes the port of the API": ["metricsPort.value === port", "metricsPort.value === -1"]
  }),
  ...mutations("service/src/internal/observed.ts", "service/test/HttpHost.test.ts > the span of a request", {
    "a probe is traced": ["route?.isProbe === true", "false"]
  }),
  ...mutations("service/src/internal/tracing.ts", "service/test/HttpHost.test.ts > the span of a request", {
    "a span has the path as its name": ["`${verb} ${route.template}`", "`${verb} ${request.url}`"],
    "a span has no request ID": ["[attributes.requestId]: requestId,\n", ""]
  }),
  ...mutations("service/src/node/internal/pool.ts", "service/test/Metrics.test.ts > the pool of connections", {
    "a caller that leaves waits for ever": [
      "() => void waiting--)",
      '(exit) => void (exit._tag === "Success" && waiting--))'
    ]
  })
]
