import { defineConfig } from "tsup"

/** Bundles everything into one file that only requires Node. */
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
  // Bundled CommonJS libraries load Node modules with `require`.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  clean: true
})
