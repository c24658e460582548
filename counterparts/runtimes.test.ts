/** The recipes for other JavaScript runtimes, each run by the runtime that npm installs. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { checkRecipe } from "../examples/embed/recipe.ts"
import { folderOf } from "./programs.ts"

const recipe = (runtime: string) => join(import.meta.dirname, "..", "examples", "embed", runtime, "server.ts")

/** The executable is in the package for this platform. The package `deno` copies it in a script, which is not run. */
const executableOf = (name: string, scope: string, file: string): string => {
  const packages = join(folderOf(name), "node_modules", scope)
  for (const platform of readdirSync(packages)) {
    for (const entry of readdirSync(join(packages, platform), { recursive: true, encoding: "utf8" })) {
      if (entry === file) return join(packages, platform, entry)
    }
  }
  throw new Error(`${scope} has no executable for this platform.`)
}

describe("recipes for other runtimes", () => {
  it("serves the control plane next to the routes of a host on Bun, and shuts down", () =>
    checkRecipe(executableOf("bun", "@oven", join("bin", "bun")), ["run", recipe("bun")], "/team/plugins"))

  it("serves the control plane next to the routes of a host on Deno, and shuts down", () =>
    checkRecipe(executableOf("deno", "@deno", "deno"), ["run", "-A", recipe("deno")], "/team/plugins"))
})
