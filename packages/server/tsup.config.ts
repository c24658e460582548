import { cp, rm } from "node:fs/promises"
import { defineConfig } from "tsup"

/**
 * The library, the program, and the thread of the database in process: it is started by file, and looks for itself beside
 * the chunk that starts it. Dependencies stay outside.
 */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    main: "src/main.ts",
    bin: "src/bin.ts",
    "pglite-worker": "src/infra/sql/pglite-worker.ts"
  },
  format: "esm",
  target: "node22",
  platform: "node",
  splitting: true,
  sourcemap: true,
  clean: true,
  // What the demo workspace is made of, so that an installed server has it too.
  onSuccess: async () => {
    await rm("sample-plugins", { recursive: true, force: true })
    await cp("../../examples/sample-plugins", "sample-plugins", { recursive: true })
  }
})
