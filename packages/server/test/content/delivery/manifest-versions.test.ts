import { describe, expect, it } from "vitest"
import { commit } from "../../../../../test/fixtures/git.ts"
import { makeControlPlane, makeWorkspace } from "../../harness.ts"
import { connect, imported, repositoryIn, skill, synced, withoutApprovals } from "../connectors.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)

const files = (text: string) => ({
  ".claude-plugin/marketplace.json": JSON.stringify({
    name: "tools",
    owner: { name: "Acme" },
    plugins: [
      { name: "stated", source: "./stated", version: "1.2.3" },
      { name: "built", source: "./built", version: "2.0.0+build.7" },
      { name: "plain", source: "./plain" }
    ]
  }),
  "stated/skills/review/SKILL.md": skill("review", text),
  "built/skills/review/SKILL.md": skill("review"),
  "plain/skills/review/SKILL.md": skill("review")
})

describe("the versions in marketplace.json", () => {
  it("contain the author's version, and change with the content only", async () => {
    const dir = repositoryIn(plane, files("One."))
    const connected = await withoutApprovals(owner, await connect(owner, dir))
    const { marketplace } = await imported(owner, connected)
    const read = async () => {
      const { body } = await owner.call("GET", `/v1/marketplaces/${marketplace?.id}/marketplace.json`)
      const entries: ReadonlyArray<{ name: string; version: string; source: { sha256: string } }> = body.plugins
      const versions = Object.fromEntries(entries.map(({ name, version }) => [name, version]))
      const digests = Object.fromEntries(entries.map(({ name, source }) => [name, source.sha256.slice(0, 12)]))
      return { whole: body.metadata.version as string, versions, digests }
    }
    const before = await read()
    expect(before.versions).toEqual({
      stated: `1.2.3+${before.digests["stated"]}`,
      built: `2.0.0+build.7.${before.digests["built"]}`,
      plain: `0.0.0+${before.digests["plain"]}`
    })
    expect(before.whole).toMatch(/^0\.0\.0\+[0-9a-f]{12}$/u)
    expect(await read()).toEqual(before)
    commit(dir, files("Two."))
    await synced(owner, connected)
    const after = await read()
    expect(after.versions).toEqual({ ...before.versions, stated: `1.2.3+${after.digests["stated"]}` })
    expect(after.digests["stated"]).not.toBe(before.digests["stated"])
    expect(after.whole).not.toBe(before.whole)
  })
})
