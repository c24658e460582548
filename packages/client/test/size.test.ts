import * as esbuild from "esbuild"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"

const bundle = async (entry: string) => {
  const { metafile, outputFiles } = await esbuild.build({
    entryPoints: [join(import.meta.dirname, "../src", entry)],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    target: "es2022",
    write: false,
    metafile: true,
    logLevel: "silent"
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error("nothing was bundled")
  return {
    inputs: Object.keys(metafile.inputs),
    gzipped: gzipSync(file.contents, { level: 9 }).length,
    text: file.text
  }
}

describe("the bundle", () => {
  it("of the client contains only the client and is smaller than 15 KB", async () => {
    const { gzipped, inputs } = await bundle("index.ts")
    expect(inputs.filter((path) => !path.includes("client/src/"))).toEqual([])
    expect(inputs.some((path) => path.includes("/effect/"))).toBe(false)
    expect(gzipped).toBeLessThan(15_000)
  })

  it("of the Effect client contains only the needed parts of effect and the contract", async () => {
    const { gzipped, inputs } = await bundle("effect/index.ts")
    const packages = new Set(
      inputs.map((path) =>
        path.includes("schema/src/") ? "schema" : path.includes("client/src/") ? "client" : "effect"
      )
    )
    expect([...packages].sort()).toEqual(["client", "effect", "schema"])
    expect(inputs.filter((path) => /effect\/dist\/(index|http\/index|http-api\/index)\.js$/.test(path))).toEqual([])
    expect(inputs.filter((path) => /Swagger|Scalar|undici/.test(path))).toEqual([])
    expect(gzipped).toBeLessThan(184_000)
  })
})
