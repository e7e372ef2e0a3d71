import { mutations } from "./Mutation.ts"

/** What `serve` owes to its operators. */
export const serving = [
  ...mutations("service/src/Service.ts", "service/test/AccessLog.test.ts", {
    "the access log has no keys": ["exchange.keyId = keyId", "exchange.keyId = undefined"]
  }),
  ...mutations("service/src/internal/accesses.ts", "service/test/AccessLog.test.ts", {
    "the access log has paths": ["route: route?.template", "route: route?.path"],
    "the access log: a caller that left counts as answered": [
      "isCutOff ? undefined : left",
      "isCutOff ? undefined : 200"
    ]
  }),
  ...mutations("service/src/internal/outages.ts", "service/test/Service.test.ts > a store that is away > is logged", {
    "an outage is logged with each request": ["if (failed++ > 0) return Effect.void", "failed++"],
    "an outage ends with the first request that succeeds": ["Windows.now(clock) - last < calm", "false"],
    "an outage that lasts until the end is not counted": [
      "failed === 0 ? Effect.void : summary",
      "true ? Effect.void : summary"
    ]
  }),
  ...mutations("service/src/Service.ts", "service/test/Service.test.ts > a store that is away > is logged", {
    "a request that asks nothing of the database ends an outage": [
      "keyId === undefined ? undefined : outages.answered(clock)",
      "outages.answered(clock)"
    ]
  }),
  ...mutations("cli/src/Cli.ts", "cli/test/logging.test.ts > a failure to start", {
    "a failure to start is not in the log": ["!(yield* Logging.isJson(args))", "true"],
    "what is named serve is taken for the command": [
      'args.find((arg) => names.has(arg)) === "serve"',
      'args.includes("serve")'
    ]
  }),
  ...mutations("cli/src/serve/variables.ts", "cli/test/variables.test.ts", {
    "a mistyped variable is ignored in silence": ["known.includes(name) ||", "name.length > 0 ||"],
    "the variables of Kubernetes are reported": [" || ofKubernetes.test(name)", ""]
  }),
  ...mutations(
    "service/src/node/internal/primary.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > is found among",
    {
      "PostgreSQL: a server that takes no writes any more is kept": ['|| error.reason._tag === "UnknownError"', ""]
    }
  ),
  ...mutations(
    "service/src/node/internal/primary.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > is asked on each new connection",
    {
      "PostgreSQL: a new session is not asked whether it takes writes": [
        "Effect.andThen(mustWrite(session), f(session))",
        "f(session)"
      ],
      "PostgreSQL: a new session that is held is not asked whether it takes writes": [
        "Effect.tap(get, mustWrite)",
        "get"
      ]
    }
  ),
  ...mutations(
    "service/src/node/internal/postgres.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > fails what",
    {
      "PostgreSQL: reads that wait for a lock wait one after the other": [
        "aWhile(Effect.scoped(lent))",
        "Effect.scoped(lent)"
      ]
    }
  ),
  ...mutations(
    "service/src/node/internal/passwords.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > is opened with PGPASSWORD",
    {
      "a password file that others may read is used": ["(stat.mode & 0o077) === 0", "true"],
      "the host in a password file is ignored": ["fits(forHost, ...hosts) && ", ""]
    }
  ),
  ...mutations(
    "service/src/node/internal/postgresUrl.ts",
    "service/test/Database.test.ts > PostgreSQL [\\d.]+ > is spoken to over TLS",
    {
      "the system's authorities alone do not ask for TLS": [
        'url.searchParams.set("sslmode", "verify-full")',
        'url.searchParams.set("sslmode", "disable")'
      ]
    }
  ),
  ...mutations("service/src/node/internal/postgresUrl.ts", "service/test/Database.test.ts > a database is named by", {
    "channel binding is ignored without a verified certificate": [
      '!verified.includes(parameters.get("sslmode") ?? "")',
      "false"
    ],
    "the system's authorities are used without a check of the name": [
      'authority === "system" && mode !== "verify-full"',
      'authority === "system" && mode === undefined'
    ],
    "a standby is accepted": ['target === "read-only" || target === "standby"', "false"]
  }),
  ...mutations("cli/src/setting.ts", "cli/test/secrets.test.ts > a secret in a file > is refused", {
    "a secret in a file and in a variable: one of them wins": ["if (Option.isNone(text))", "if (Option.isOption(text))"]
  }),
  ...mutations("cli/src/setting.ts", "cli/test/secrets.test.ts > a password in a flag > gets a warning that", {
    "a password in a flag gets no warning": ['credentials.includes(":")', "false"]
  }),
  ...mutations("cli/src/database.ts", "cli/test/rights.test.ts > a user of PostgreSQL [\\d.]+ > that is refused", {
    "a wrong password passes for an outage": ['case "28P01":', 'case "-28P01":'],
    "a missing database passes for an outage": ['case "3D000":', 'case "-3D000":'],
    "a certificate that is refused passes for an outage": ["distrusted.test(code)", "false"]
  }),
  ...mutations("cli/src/serve/certificate.ts", "cli/test/certificate.test.ts > the files of a certificate", {
    "a certificate that is half written is reported": ["isAsked || found === before", "true"],
    "an invalid certificate is logged without end": ["isAsked || reported !== found", "true"],
    "a certificate that has not changed is replaced": ["if (found === textOf(current))", "if (false)"],
    "the warning before a certificate expires comes once": [
      'Effect.repeat(remind, Schedule.spaced("1 day"))',
      "Effect.as(remind, Schedule)"
    ]
  })
]
