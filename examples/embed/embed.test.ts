import { build } from "esbuild"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, it } from "vitest"
import { startPostgres } from "../../test/postgres/start.ts"
import { checkRecipe } from "./recipe.ts"

const file = (framework: string) => join(import.meta.dirname, framework, "server.ts")

const postgres = await startPostgres()
afterAll(() => postgres.stop())

describe("recipes for host applications", () => {
  it.each(["hono", "express", "fastify"])(
    "serves the control plane from the PostgreSQL database of a host on %s",
    async (framework) =>
      checkRecipe(process.execPath, [file(framework)], "/team/plugins", {
        databaseUrl: await postgres.createDatabase(framework)
      }),
    240_000
  )

  it.each(["hono", "express", "fastify"])(
    "serves the control plane next to the routes of a host on %s, and shuts down",
    (framework) => checkRecipe(process.execPath, [file(framework)], "/team/plugins"),
    240_000
  )

  it(
    "serves the control plane next to the routes of an Effect application, and shuts down",
    () =>
      // `runMain` exits with 130 after a signal.
      checkRecipe(process.execPath, [file("effect")], "/orgplane/v1/plugins", { exitCode: 130 }),
    240_000
  )

  it("starts a host that esbuild bundles into one file, with @orgplane/server external", async () => {
    // Beside the packages of the host, as on a server that installs them.
    const folder = mkdtempSync(join(import.meta.dirname, "..", "node_modules", ".bundle-"))
    const outfile = join(folder, "server.mjs")
    try {
      await build({
        entryPoints: [file("express")],
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        external: ["@orgplane/server"],
        // For packages that are CommonJS, such as Express.
        banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
        logLevel: "silent"
      })
      await checkRecipe(process.execPath, [outfile], "/team/plugins")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }, 240_000)
})
