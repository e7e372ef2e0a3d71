import { ambiguity } from "./ambiguity.ts"
import { audit } from "./audit.ts"
import { authentication } from "./authentication.ts"
import { command } from "./command.ts"
import { credentials } from "./credentials.ts"
import { database } from "./database.ts"
import { deadlines } from "./deadlines.ts"
import { decompression } from "./decompression.ts"
import { deletion } from "./deletion.ts"
import { metrics } from "./metrics.ts"
import type { Mutation } from "./Mutation.ts"
import { operations } from "./operations.ts"
import { pacing } from "./pacing.ts"
import { promise } from "./promise.ts"
import { protocol } from "./protocol.ts"
import { recordings } from "./recordings.ts"
import { budget, hints, retries } from "./retries.ts"
import { serving } from "./serving.ts"
import { testing } from "./testing.ts"
import { transports } from "./transports.ts"
import { waiting } from "./waiting.ts"

/** Every rule, broken in turn. */
export const table: ReadonlyArray<Mutation> = [
  ...retries,
  ...hints,
  ...budget,
  ...deadlines,
  ...ambiguity,
  ...operations,
  ...transports,
  ...pacing,
  ...decompression,
  ...waiting,
  ...promise,
  ...recordings,
  ...deletion,
  ...audit,
  ...authentication,
  ...protocol,
  ...credentials,
  ...database,
  ...command,
  ...serving,
  ...metrics,
  ...testing
]
