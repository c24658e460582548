/** The commands in the pages for operators are commands of this version, with options that exist. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { wordsOf } from "../packages/cli/src/config-file.ts"
import { commands } from "../packages/cli/src/generated/commands.ts"
import { parse } from "../packages/cli/src/parse.ts"
import { parseArguments } from "../packages/server/src/arguments.ts"

const pages = [
  "SECURITY.md",
  "docs/backup.md",
  "docs/configuration.md",
  "docs/containers.md",
  "docs/install.md",
  "docs/keys.md",
  "docs/logs.md",
  "docs/monitoring.md",
  "docs/move.md",
  "docs/releasing.md",
  "docs/retention.md",
  "docs/runbook.md",
  "docs/upgrade.md"
]

const block = /^ *```(?:sh|console)?\n([^]*?)^ *```/gmu

/** The lines of shell blocks, and the code within sentences. */
const codeOf = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(block)].flatMap(([, code = ""]) => code.replaceAll(/\\\n */gu, "").split("\n")),
  ...[...text.replaceAll(/^ *```[^]*?^ *```/gmu, "").matchAll(/`([^`\n]+)`/gu)].map(([, code = ""]) => code)
]

/** The arguments of each call of a program. Sample values replace the placeholders. */
const callsOf = (code: string, program: RegExp): ReadonlyArray<string> =>
  [
    ...code
      .replaceAll(/<[a-z-]+>/gu, "id")
      .replaceAll("…", "1")
      .matchAll(program)
  ].map(([, words = ""]) => (words.split(/ (?:[|<>#]|&&) ?/u)[0] ?? "").trim())

const serverCalls = pages.flatMap((page) =>
  codeOf(readFileSync(join(import.meta.dirname, "..", page), "utf8"))
    .filter((code) => !/[.;]$/u.test(code.trim()) || code.startsWith("$ "))
    .flatMap((code) => callsOf(code, /(?:^|[ (])(?:orgplane-server|bin\.js|compose run --rm orgplane) ([^)]*)/gu))
    .map((words) => [page, words] as const)
)
const cliCalls = pages.flatMap((page) =>
  codeOf(readFileSync(join(import.meta.dirname, "..", page), "utf8"))
    .flatMap((code) => callsOf(code, /^(?:\$ )?orgplane ([a-z][^)]*)/gu))
    .map((words) => [page, words] as const)
)

describe("a command in a page for operators", () => {
  it("is read from the pages", () => expect([serverCalls.length > 30, cliCalls.length > 8]).toEqual([true, true]))

  it.each(serverCalls)("in %s is a command of the server: %s", (_, words) => {
    expect(parseArguments(wordsOf(words))).not.toHaveProperty("usageError")
  })

  it.each(cliCalls)("in %s is a command of the CLI: %s", async (_, words) => {
    const parsed = await parse(wordsOf(words), { table: commands, colors: false, columns: 120 })
    expect(parsed).toMatchObject({ kind: "run" })
  })
})
