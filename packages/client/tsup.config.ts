import { defineConfig } from "tsup"

export default defineConfig({
  entry: { index: "src/index.ts", "effect/index": "src/effect/index.ts" },
  format: "esm",
  target: "es2022",
  // Bundling the contract would duplicate the error classes and schemas that callers import.
  external: [/^@orgplane\/schema/, /^effect/],
  splitting: true,
  sourcemap: true,
  clean: true
})
