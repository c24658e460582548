import { writeFile } from "node:fs/promises"
import { defineConfig, type Options } from "tsup"

const shared = {
  target: "es2022",
  // Bundling the contract would duplicate the error classes and schemas that callers import.
  external: [/^@orgplane\/schema/, /^effect/],
  sourcemap: true
} satisfies Options

export default defineConfig([
  {
    ...shared,
    entry: { index: "src/index.ts", embedded: "src/embedded.ts", "effect/index": "src/effect/index.ts" },
    format: "esm",
    splitting: true,
    clean: ["dist/**", "!dist/cjs/**"]
  },
  {
    ...shared,
    entry: { index: "src/index.ts", embedded: "src/embedded.ts" },
    format: "cjs",
    outDir: "dist/cjs",
    outExtension: () => ({ js: ".js" }),
    clean: true,
    // Node.js and TypeScript then read the files of this folder as CommonJS.
    onSuccess: () => writeFile("dist/cjs/package.json", '{ "type": "commonjs" }\n')
  }
])
