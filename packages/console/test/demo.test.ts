/** The demo workspace of the first start: what a person sees who tries orgplane. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { demoRoot, seedDemo } from "../../server/src/seed.ts"
import { areas } from "../src/app/areas.ts"
import { failOnFaults, loaded, startConsole } from "./harness.ts"

failOnFaults()

const dataDir = mkdtempSync(join(tmpdir(), "orgplane-demo-"))
const { plane, viewer } = await startConsole({ git: { localRoots: [demoRoot(dataDir)] } })
const seed = await Effect.runPromise(Effect.scoped(seedDemo(dataDir, plane.services)))

it("signs in with the token of the demo workspace, and shows its plugins and every list", async () => {
  const { go, page } = await viewer()
  await page.goto("/console/")
  await page.getByRole("button", { name: "Use a session token" }).click()
  await page.getByLabel("Session token").fill(seed?.ownerToken ?? "")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor()
  await loaded(page)
  await go("/plugins")
  expect(await page.getByRole("row").count()).toBeGreaterThan(2)
  await go(`/plugins/${seed?.pluginId}`)
  await page.getByRole("tab", { name: "Objects" }).waitFor()
  for (const { entries } of areas) {
    for (const { isPlatform, name, to } of entries) {
      if (isPlatform === true) continue
      await go(to)
      expect(await page.getByRole("alert").allInnerTexts(), name).toEqual([])
    }
  }
})
