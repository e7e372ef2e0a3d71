import * as Given from "../../frame/given.ts"

const limits = {
  headers: Given.time,
  request: Given.time,
  silence: Given.time,
  keepAlive: Given.time,
  shutdown: Given.duration,
  maxHeaderSize: Given.count,
  maxTargetLength: Given.count,
  maxRequestsPerConnection: Given.count
}

/** The options of every host. */
const kinds = {
  host: Given.text,
  port: [
    "a whole number from 0 to 65535",
    (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
  ],
  limits: Given.object
} as const

/** Throws for options that a host cannot have; `own` has those that only this one has. */
export const check = (
  group: string,
  options: { readonly limits?: object | undefined },
  own: Readonly<Record<string, Given.Kind>> = {}
): void => {
  Given.check(group, Given.given(options), { ...kinds, ...own })
  // a limit that is given takes the place of the default, whatever it is
  if (options.limits !== undefined) Given.check(`${group}.limits`, options.limits, limits)
}
