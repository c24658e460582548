/** Which suites `pnpm check` runs for a changed file. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { suitesOf } from "../scripts/reached-suites.ts"

const folder = "packages/console/test/"
const browser = readdirSync(join(import.meta.dirname, "..", folder))
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => folder + name)
const tracked = [
  ...browser,
  "packages/server/test/identity/teams.test.ts",
  "packages/server/test/operations/console.test.ts",
  "packages/server/test/infra/smoke.test.ts"
]
const reached = (path: string) => suitesOf([path], tracked)

describe("the suites that a changed file reaches", () => {
  it("are those of a server module", () => {
    expect(reached("packages/server/src/identity/teams/service.ts")).toEqual([
      "packages/server/test/identity/teams.test.ts"
    ])
  })

  it.each([
    ["packages/console/src/app/pages/people/teams.tsx", ["people"]],
    ["packages/console/src/app/pages/home/health.tsx", ["insights"]],
    ["packages/console/test/content.fixture.ts", ["content"]],
    ["packages/console/test/tools.test.ts", ["tools"]]
  ])("are those of the area of the console to which %s belongs", (path, names) => {
    expect(reached(path)).toEqual(names.map((name) => `${folder}${name}.test.ts`))
  })

  it.each([
    "packages/console/src/app/design/dialog.tsx",
    "packages/console/src/app/pages/sign-in.tsx",
    "packages/console/src/files.ts",
    "packages/console/scripts/build-app.ts",
    "packages/console/test/harness.ts",
    "packages/console/package.json"
  ])("are all in a browser for %s, which all pages share", (path) => {
    expect(reached(path)).toEqual(browser.toSorted())
  })

  it("are those in a browser too for the part of the server that serves the console", () => {
    expect(reached("packages/server/src/operations/console/cookie.ts")).toEqual([
      ...["security", "shell", "sign-in"].map((name) => `${folder}${name}.test.ts`),
      "packages/server/test/operations/console.test.ts"
    ])
  })

  it("are none for a document of the console", () => {
    expect(reached("packages/console/README.md")).toEqual([])
  })
})
