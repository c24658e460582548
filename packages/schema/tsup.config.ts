import { defineConfig } from "tsup"

// One file per module, with shared code in chunks: every importer must get the same error class.
export default defineConfig({
  entry: ["src/**/*.ts", "!src/**/*.test.ts"],
  format: "esm",
  target: "node20",
  splitting: true,
  sourcemap: true,
  clean: true
})
