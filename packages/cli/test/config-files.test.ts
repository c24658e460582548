/** The files in the configuration directory, changed by several processes. */
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { folder, ran, spawned } from "./harness.ts"

it("keeps every alias that processes add at the same time", async () => {
  const config = await folder()
  const names = Array.from({ length: 8 }, (_, index) => `a${index}`)
  const runs = await Promise.all(names.map((name) => spawned(["alias", "set", name, "plugins list"], { config })))
  expect(runs.map(({ code, err }) => [code, err])).toEqual(names.map(() => [0, ""]))
  const { aliases } = JSON.parse(readFileSync(join(config, "orgplane", "config.json"), "utf8")) as {
    readonly aliases: object
  }
  expect(Object.keys(aliases).toSorted()).toEqual(names)
  expect(readdirSync(join(config, "orgplane"))).toEqual(["config.json"])
})

it("ignores the lock of a process that was killed", async () => {
  const config = await folder()
  expect((await ran(["alias", "set", "a", "plugins list"], { config })).code).toBe(0)
  writeFileSync(join(config, "orgplane", "config.json.lock"), "killed")
  expect((await ran(["alias", "set", "b", "plugins list"], { config })).code).toBe(0)
  expect((await ran(["alias", "list"], { config })).out).toBe("a\tplugins list\nb\tplugins list\n")
})
