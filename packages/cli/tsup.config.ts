import { defineConfig, type Options } from "tsup"

const target = "node22"

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]

/**
 * Includes the program as text. Node parses all code of a file before it runs any of it, which would delay the help by
 * 15 ms. As a CommonJS module, the program also loads the modules of Node only when it needs them.
 */
const programAsText: Plugin = {
  name: "program-as-text",
  setup({ esbuild, onLoad, onResolve }) {
    onResolve({ filter: /\/process-run\.ts$/ }, ({ path, resolveDir }) => ({
      path: `${resolveDir}/${path}`,
      namespace: "program-as-text"
    }))
    onLoad({ filter: /.*/, namespace: "program-as-text" }, async ({ path }) => {
      const { outputFiles } = await esbuild.build({
        entryPoints: [path],
        bundle: true,
        write: false,
        format: "cjs",
        platform: "node",
        // The CommonJS build of jsonc-parser loads its parts at run time.
        mainFields: ["module", "main"],
        target,
        minify: true,
        // jq is loaded only for --jq.
        external: ["redis", "jq-wasm"],
        // Only sources that run without a bundler use it.
        logOverride: { "empty-import-meta": "silent" }
      })
      return {
        contents: `import { Module } from "node:module"
          import { fileURLToPath } from "node:url"
          const file = fileURLToPath(import.meta.url)
          const program = new Module(file)
          program._compile(${JSON.stringify(outputFiles[0]?.text)}, file)
          export const { runProcess } = program.exports`,
        resolveDir: "."
      }
    })
  }
}

/** Bundles everything into one file that only requires Node. */
export const cliBundle: Options = {
  entry: ["src/main.ts"],
  format: "esm",
  target,
  platform: "node",
  splitting: false,
  minify: true,
  treeshake: false,
  noExternal: [/^(?!jq-wasm$)/],
  esbuildPlugins: [programAsText],
  clean: true
}

export default defineConfig(cliBundle)
