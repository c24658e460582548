/**
 * The transcripts in the guide: each command after `$` is run on a terminal of 100 columns against a server, and its output
 * is compared with the lines below it. `ORGPLANE_TRANSCRIPTS=write` writes them again.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { wordsOf } from "../src/config-file.ts"
import { folder, ran } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

const path = join(import.meta.dirname, "../../../docs/cli.md")
const block = /```console\n([^]*?)```/u
let workspace: Awaited<ReturnType<typeof startWorkspace>>
beforeAll(async () => {
  workspace = await startWorkspace()
})
afterAll(() => workspace.close())

/** The same text in every run. */
const steady = () => {
  const ids = new Map<string, string>()
  return (text: string): string =>
    text
      .replaceAll(workspace.origin, "https://orgplane.example")
      .replaceAll(/\b([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{26}\b/gu, (id, prefix: string) => {
        const count = [...ids.keys()].filter((each) => each.startsWith(`${prefix}_`)).length + 1
        const existing = ids.get(id) ?? `${prefix}_01kf0x5me8e6razepq180mhf${String(count).padStart(2, "0")}`
        ids.set(id, existing)
        return existing
      })
      .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/gu, "2026-01-15T09:30:00.000Z")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
}

it("show what the commands print", async () => {
  const page = readFileSync(path, "utf8")
  const [, transcript = ""] = block.exec(page) ?? []
  const commands = transcript.split("\n").filter((line) => line.startsWith("$ orgplane "))
  expect(commands.length).toBeGreaterThanOrEqual(5)
  const text = steady()
  const config = await folder()
  let actual = ""
  for (const command of commands) {
    const { code, err, out } = await ran(wordsOf(command.slice("$ orgplane ".length)), {
      url: workspace.origin,
      token: workspace.token,
      config,
      columns: 100,
      now: Date.now,
      env: { NO_COLOR: "1", LANG: "C.UTF-8" }
    })
    expect([command, code]).toEqual([command, 0])
    actual += `${command}\n${text(out)}${text(err)}`
  }
  if (process.env["ORGPLANE_TRANSCRIPTS"] === "write") {
    writeFileSync(
      path,
      page.replace(block, () => `\`\`\`console\n${actual}\`\`\``)
    )
  } else expect(transcript).toBe(actual)
}, 120_000)
