/** Variables of a process that has less than others: room for files, or a home. */
export const fileLimit = (bytes: number) => ({
  NODE_DISABLE_COMPILE_CACHE: "1",
  // the signal that comes with the limit would end the process
  NODE_OPTIONS: `--import data:text/javascript,import{execFileSync}from'node:child_process';process.on('SIGXFSZ',()=>{});execFileSync('prlimit',['--pid',String(process.pid),'--fsize=${bytes}:'])`
})

export const homeless = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
    "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.homedir = () => process.env.HOME ?? os.userInfo(); os.userInfo = () => { throw new Error('ENOENT') }; syncBuiltinESMExports()"
  )}`
}
