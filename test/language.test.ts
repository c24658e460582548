/** What people read is plain technical English: the phrases that were hardest to read stay out. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { identifiers, phrases } from "./language/phrases.ts"

const root = join(import.meta.dirname, "..")
const committed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(?:tsx?|md)$/.test(path))
  .filter((path) => !/^test\/language\b|\/fixtures\/|\/generated\/|CHANGELOG\.md$/.test(path))

const sources = committed.map((path) => ({ path, lines: readFileSync(join(root, path), "utf8").split("\n") }))

/** The phrases in each line. A phrase that is broken across two lines is not found. */
const findings = ({ lines, path }: (typeof sources)[number]): ReadonlyArray<string> =>
  lines.flatMap((line, index) =>
    phrases.flatMap(({ instead, pattern }) => {
      const match = pattern.exec(line)
      return match === null ? [] : [`${path}:${index + 1}: "${match[0]}" → ${instead}`]
    })
  )

describe("the language of the project", () => {
  it("finds files to check", () => {
    expect(committed.length).toBeGreaterThan(900)
  })

  it("uses none of the phrases that readers have to decode", () => {
    expect(sources.flatMap(findings)).toEqual([])
  })

  it("declares no identifier with a private name", () => {
    const names = Object.keys(identifiers).join("|")
    const declaration = new RegExp(String.raw`\b(?:const|let|function|interface|type|class)\s+(${names})\b`, "g")
    const declared = sources
      .filter(({ path }) => path.endsWith(".ts"))
      .flatMap(({ lines, path }) =>
        lines.flatMap((line, index) =>
          [...line.matchAll(declaration)].map(([, name = ""]) => `${path}:${index + 1}: ${name} → ${identifiers[name]}`)
        )
      )
    expect(declared).toEqual([])
  })
})
