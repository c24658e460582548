/** The cache in which V8 keeps the compiled program, which saves about a fifth of the time of a command. */
import { existsSync, mkdirSync } from "node:fs"
// As named imports, functions that an older Node.js lacks would fail before its version is checked.
import * as nodeModule from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

type Env = Readonly<Record<string, string | undefined>>

/** The user's cache directory. A shared one would let other users replace the code. */
export const cacheHome = (platform: NodeJS.Platform, env: Env): string => {
  const home = env["HOME"] ?? homedir()
  const [configured, usual] =
    platform === "win32"
      ? [env["LOCALAPPDATA"], join(home, "AppData", "Local")]
      : [env["XDG_CACHE_HOME"], platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache")]
  return configured !== undefined && isAbsolute(configured) ? configured : usual
}

/** Does nothing if an environment variable of Node decides, or if the directory cannot be created. */
export const cacheCompiledCode = (platform: NodeJS.Platform, env: Env): void => {
  const isSet = (name: string) => (env[name] ?? "") !== ""
  if (isSet("NODE_DISABLE_COMPILE_CACHE") || isSet("NODE_COMPILE_CACHE")) return
  const base = cacheHome(platform, env)
  const folder = join(base, "orgplane")
  try {
    // Not recursive, as Node would do it: that never ends if the file system refuses directories, as /proc does.
    for (const each of [base, folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 })
  } catch {
    return
  }
  nodeModule.enableCompileCache(folder)
}
