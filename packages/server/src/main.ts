#!/usr/bin/env node
/**
 * The entry of the program. It imports as little as possible, so that V8's code cache is used for all other modules, and
 * the thread of the embedded database loads the engine while this thread loads them.
 */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { prepareThread } from "./infra/sql/pglite-engine.ts"

/**
 * The user's directory for caches. Node's default is in the directory for temporary files, where another user could
 * place code. `NODE_COMPILE_CACHE` overrides it, and `NODE_DISABLE_COMPILE_CACHE=1` disables the cache.
 */
const cacheDirectory = () => {
  const configured = process.env["XDG_CACHE_HOME"]
  if (configured !== undefined && configured !== "") return join(configured, "orgplane")
  if (process.platform === "darwin") return join(homedir(), "Library/Caches/orgplane")
  return process.platform === "win32"
    ? join(process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData/Local"), "orgplane")
    : join(homedir(), ".cache/orgplane")
}

// While caches are empty after startup, requests take long, and V8 concludes that their objects are long-lived. It would
// then allocate such objects in the old generation until the process exits.
setFlagsFromString("--no-allocation-site-pretenuring")
// Where the directory cannot be written, the program starts without the cache.
enableCompileCache(cacheDirectory())

const argv = process.argv.slice(2)
const isStart = argv.length === 0 || (argv.length === 1 && argv[0] === "start")
// The configuration file may set another database.
const isEmbedded = ["ORGPLANE_DATABASE_URL", "ORGPLANE_CONFIG_FILE"].every(
  (name) => (process.env[name] ?? "").trim() === ""
)
const thread = isStart && isEmbedded ? prepareThread() : undefined

const { main } = await import("./program.ts")
await main(argv, process.env, thread)
