import { join } from "node:path"

/** Environment of the processes that tests start: they share V8's code cache, which halves their startup time. */
export const compileCache = { NODE_COMPILE_CACHE: join(import.meta.dirname, "../.cache/compile") }
