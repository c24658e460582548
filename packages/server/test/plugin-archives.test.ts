import { describe, expect, it } from "vitest"
import { commit } from "../../../test/fixtures/git.ts"
import { connect, imported, repositoryIn, skill, synced } from "./connectors.fixture.ts"
import { makeControlPlane, makeWorkspace, type Workspace } from "./harness.ts"
import { fetched, isGenuine, sha256, unpacked } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const download = (person: Workspace, id: string, headers: Record<string, string> = {}, method?: string) =>
  fetched(plane, `/v1/plugins/${id}/archive`, { authorization: `Bearer ${person.token}`, ...headers }, method)
const manifestOf = async (person: Workspace, id: string) =>
  (await person.call("GET", `/v1/marketplaces/${id}/marketplace.json`)).body

const asBytes = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text, "latin1")]))

const long = `${"a-very-long-folder-name/".repeat(8)}naïve — ✓.md`
const tools = {
  "plugins/tools/skills/review/SKILL.md": skill("review", "Überprüfe ✓\r\nalles."),
  "plugins/tools/skills/review/scripts/check.sh": "#!/bin/sh\nexit 0\n",
  [`plugins/tools/skills/review/${long}`]: "deep",
  "plugins/tools/commands/ship.md": "---\ndescription: Ship\n---\nShip it.",
  "plugins/tools/agents/critic.md": "---\nname: critic\n---\nCriticise.",
  "plugins/tools/hooks/hooks.json": '{"hooks":{"Stop":[]}}',
  "plugins/tools/.mcp.json": '{ "mcpServers": {"a": {"command": "run"}} }\n'
}
const repository = {
  ".claude-plugin/marketplace.json": JSON.stringify({
    name: "Acme Tools!",
    owner: { name: "Acme" },
    plugins: [
      { name: "tools", source: "./plugins/tools", version: "1.2.3", category: "dev", tags: ["x"], author: { name: "A" } },
      { name: "other", source: "./plugins/other" }
    ]
  }),
  "plugins/tools/.claude-plugin/plugin.json": JSON.stringify({
    name: "tools",
    description: "Tools for all.",
    license: "MIT",
    commands: ["./more/extra.md"],
    mcpServers: { inline: { url: "https://mcp.example/" } }
  }),
  "plugins/tools/more/extra.md": "Extra.",
  ...tools,
  "plugins/other/skills/write/SKILL.md": skill("write")
}

describe("an agent's installer", () => {
  it("gets exactly what lies in the repository, by a link and without a credential", async () => {
    const dir = repositoryIn(plane, repository)
    const connected = await connect(owner, dir)
    const { marketplace } = await imported(owner, connected)
    if (marketplace === null) throw new Error("The import made no marketplace.")
    const document = await manifestOf(owner, marketplace.id)
    expect(document).toMatchObject({ name: "acme-tools", owner: { name: "Acme" } })
    expect(document.plugins.map(({ name }: { name: string }) => name).toSorted()).toEqual(["other", "tools"])
    const entry = document.plugins.find(({ name }: { name: string }) => name === "tools")
    expect(entry).toMatchObject({
      version: "1.2.3",
      category: "dev",
      tags: ["x"],
      author: { name: "A" },
      license: "MIT",
      description: "Tools for all.",
      source: { source: "archive" }
    })
    const answer = await fetched(plane, entry.source.url)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/gzip"])
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="tools.tar.gz"')
    expect(sha256(answer.bytes)).toBe(entry.source.sha256)
    const pluginId = new URL(entry.source.url).pathname.split("/").at(-1) ?? ""
    expect(await isGenuine(plane, pluginId, answer.headers, answer.bytes)).toBe(true)
    const { executable, files } = unpacked(answer.bytes)
    const { ".claude-plugin/plugin.json": manifest, ...rest } = files
    expect(rest).toEqual(
      Object.fromEntries(
        Object.entries({ ...tools, "plugins/tools/more/extra.md": "Extra." }).map(([path, text]) => [
          path.replace("plugins/tools/", ""),
          Buffer.from(text).toString("latin1")
        ])
      )
    )
    expect(executable).toEqual(["skills/review/scripts/check.sh"])
    expect(JSON.parse(manifest ?? "")).toEqual({
      name: "tools",
      description: "Tools for all.",
      version: "1.2.3",
      author: { name: "A" },
      license: "MIT",
      commands: ["./more/extra.md"],
      mcpServers: { inline: { url: "https://mcp.example/" } }
    })

    // What was unpacked is a plugin again, and the same one.
    const again = await makeWorkspace(plane, "Again")
    await imported(again, await connect(again, repositoryIn(plane, asBytes(files))))
    const [copy] = (await again.call("GET", "/v1/plugins")).body.items
    const copied = await download(again, copy.id)
    expect(unpacked(copied.bytes).files).toEqual(files)

    // After a push the old link is worth nothing, and the new document has the new content.
    commit(dir, { ...repository, "plugins/tools/commands/ship.md": "Ship it twice." })
    expect((await synced(owner, connected)).status).toBe("completed")
    expect((await fetched(plane, entry.source.url)).status).toBe(404)
    const renewed = await manifestOf(owner, marketplace.id)
    const after = renewed.plugins.find(({ name }: { name: string }) => name === "tools")
    expect(after.source.sha256).not.toBe(entry.source.sha256)
    const second = await fetched(plane, after.source.url)
    expect(unpacked(second.bytes).files["commands/ship.md"]).toBe("Ship it twice.")
    // The other plugin is what it was.
    const others = [document, renewed].map(
      ({ plugins }) => plugins.find(({ name }: { name: string }) => name === "other").source.sha256
    )
    expect(others[0]).toBe(others[1])
  })
})
