import { execSync } from "node:child_process"

/** Installs what our client and server are compared with, which the workspace does not have. */
export const install = () => {
  const pnpm = "npx --yes --loglevel=error pnpm@12.21.0 install --ignore-workspace --ignore-scripts --frozen-lockfile"
  execSync(`${pnpm} --prefer-offline --loglevel=error`, { cwd: "checks/bench/peers", stdio: "inherit" })
}
