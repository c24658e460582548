import { defineConfig } from "tsup"

// One file a module, and what they share in chunks: an error class must be one class, whoever imports it.
export default defineConfig({
  entry: ["src/**/*.ts", "!src/**/*.test.ts"],
  format: "esm",
  target: "node20",
  splitting: true,
  sourcemap: true,
  clean: true
})
