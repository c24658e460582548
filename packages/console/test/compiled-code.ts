/** Runs first in each worker: Node loads the modules of the server, and keeps their compiled code between runs. */
import { enableCompileCache } from "node:module"
import { compileCache } from "../../../test/compile-cache.ts"

enableCompileCache(compileCache.NODE_COMPILE_CACHE)
