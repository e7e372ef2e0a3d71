import * as OptionRules from "@cloud-management/client/OptionRules"

const limits = {
  headers: OptionRules.time,
  request: OptionRules.time,
  silence: OptionRules.time,
  keepAlive: OptionRules.time,
  shutdown: OptionRules.duration,
  maxHeaderSize: OptionRules.count,
  maxTargetLength: OptionRules.count,
  maxRequestsPerConnection: OptionRules.count
}

const kinds = {
  host: OptionRules.name,
  port: [
    "a whole number from 0 to 65535",
    (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
  ],
  limits: OptionRules.object
} as const

export const check = (
  group: string,
  options: { readonly limits?: object | undefined },
  own: OptionRules.Kinds = {}
): void => {
  OptionRules.check(group, OptionRules.options(options), { ...kinds, ...own })
  // a limit that is given takes the place of the default, whatever it is
  if (options.limits !== undefined) OptionRules.check(`${group}.limits`, options.limits, limits)
}
