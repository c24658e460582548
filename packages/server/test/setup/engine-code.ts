/** Runs before each file that starts embedded databases, and compiles their code once per worker. */
import { readFile } from "node:fs/promises"

const key = Symbol.for("orgplane.test.engineCode")
const worker = globalThis as { [key]?: Promise<WebAssembly.Module> }

// V8 shares the compiled code of the engine between all threads while one of them holds it.
worker[key] ??= readFile(new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"))).then((code) =>
  WebAssembly.compile(code)
)
await worker[key]
