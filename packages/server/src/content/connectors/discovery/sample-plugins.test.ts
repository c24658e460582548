import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parseContent } from "../../config-objects/parse.ts"
import { filesOf } from "./files.ts"
import { discoverIn, repository } from "./test-tree.ts"

const folder = fileURLToPath(new URL("../../../../../../examples/sample-plugins", import.meta.url))
const files = Object.fromEntries(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")]
    })
)
const readme = files["README.md"] ?? ""

/** The cells of each row of a README table, by the first cell. */
const rows = (heading: string) => {
  const [, table = ""] = readme.split(`| ${heading} |`)
  const lines = table.split("\n\n")[0]?.split("\n").slice(2) ?? []
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

const alphabetically = (a: string, b: string) => (a < b ? -1 : 1)
const byFirst = (a: ReadonlyArray<unknown>, b: ReadonlyArray<unknown>) => alphabetically(String(a[0]), String(b[0]))

describe("examples/sample-plugins", () => {
  const discovery = discoverIn(files)

  it("lists the plugins of its README with the contents of each", () => {
    expect(discovery.marketplace?.name).toBe("platform-samples")
    expect(
      discovery.candidates.map(({ componentKinds, key, rootPath }) => [
        `\`${key.replace("marketplace:", "")}\``,
        rootPath === "" ? "another repository" : `\`${rootPath}\``,
        componentKinds.join(", ") || "nothing"
      ])
    ).toEqual(rows("Plugin").map((cells) => cells.slice(0, 3)))
    expect(discovery.candidates.map(({ supported }) => supported)).toEqual([true, true, true, false, false])
    expect(discovery.candidates.slice(0, 3).flatMap(({ warnings }) => warnings)).toEqual([])
    expect(discovery.warnings).toEqual(['"plugins/cost-report/.claude-plugin/plugin.json" is not valid JSON.'])
    expect(discovery.candidates[4]?.warnings[0]).toContain("github.com")
  })

  it("imports the objects of its README, all readable", () => {
    const { entries } = repository(files)
    const objects = discovery.candidates.flatMap(({ plan }) => plan.flatMap((mapping) => filesOf(mapping, entries)))
    const byType = new Map<string, Array<string>>()
    for (const { objectType, path, pointer } of objects) {
      const text = files[path] ?? ""
      const parsed = parseContent({ objectType, fileName: path, text, pointer })
      expect(parsed.warnings).toEqual([])
      expect(parsed.description ?? (objectType === "mcp" || objectType === "context" ? "none" : null)).not.toBeNull()
      const name = path.slice(path.lastIndexOf("/") + 1)
      const shown = objectType === "skill" || objectType === "agent" ? parsed.title : name
      byType.set(objectType, [...(byType.get(objectType) ?? []), shown])
    }
    const listed = rows("Type").map(([type = "", names = ""]) => [
      type,
      [...names.matchAll(/`([^`]+)`/gu)].map((match) => match[1] ?? "").toSorted(alphabetically)
    ])
    expect([...byType].map(([type, names]) => [type, names.toSorted(alphabetically)]).toSorted(byFirst)).toEqual(
      listed.toSorted(byFirst)
    )
  })

  it("keeps credentials out of the search text", () => {
    const parsed = parseContent({
      objectType: "mcp",
      fileName: ".mcp.json",
      text: files["plugins/release-train/.mcp.json"] ?? "",
      pointer: null
    })
    expect(parsed.title).toBe("MCP: deployments, changelog")
    expect(parsed.searchText).not.toContain("TOKEN")
  })
})
