import { defineConfig } from "tsup"

/** One file that needs nothing but Node: copied anywhere, it runs. */
export default defineConfig({
  entry: ["src/main.ts"],
  format: "esm",
  target: "node22",
  platform: "node",
  splitting: false,
  minify: true,
  treeshake: false,
  noExternal: [/.*/],
  external: ["redis"],
  // Libraries written for CommonJS ask for Node's modules by `require`.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  clean: true
})
