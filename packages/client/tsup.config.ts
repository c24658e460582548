import { defineConfig } from "tsup"

export default defineConfig({
  entry: { index: "src/index.ts", "effect/index": "src/effect/index.ts" },
  format: "esm",
  target: "es2022",
  // The contract must be the one the caller has: its error classes are caught by identity of their tags and schemas.
  external: [/^@orgplane\/schema/, /^effect/],
  splitting: true,
  sourcemap: true,
  clean: true
})
