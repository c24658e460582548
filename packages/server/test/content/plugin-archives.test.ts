import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { connect, imported, repositoryIn, skill, synced, withoutApprovals } from "./connectors.fixture.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeWorkspace,
  runSql,
  withServices,
  type Workspace
} from "../harness.ts"
import { makeLinks } from "../../src/content/plugins/archive-link.ts"
import { fetched, isGenuine, sha256, unpacked } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const download = (person: Workspace, id: string, headers: Record<string, string> = {}, method?: string) =>
  fetched(plane, `/v1/plugins/${id}/archive`, { authorization: `Bearer ${person.token}`, ...headers }, method)
const manifestOf = async (person: Workspace, id: string) =>
  (await person.call("GET", `/v1/marketplaces/${id}/marketplace.json?format=tar.gz`)).body

const asBytes = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text, "latin1")]))

const long = `${"a-very-long-folder-name/".repeat(8)}naïve — ✓.md`
const tools = {
  "plugins/tools/skills/review/SKILL.md": skill("review", "Überprüfe ✓\r\nalles."),
  "plugins/tools/skills/review/scripts/check.sh": { executable: "#!/bin/sh\nexit 0\n" },
  [`plugins/tools/skills/review/${long}`]: "deep",
  "plugins/tools/commands/ship.md": "---\ndescription: Ship\n---\nShip it.",
  "plugins/tools/agents/marked.md": "\uFEFF---\nname: marked\n---\nBegins with a byte order mark.",
  "plugins/tools/agents/critic.md": "---\nname: critic\n---\nCriticize.",
  "plugins/tools/hooks/hooks.json": '{"hooks":{"Stop":[]}}',
  "plugins/tools/.mcp.json": '{ "mcpServers": {"a": {"command": "run"}} }\n'
}
const repository = {
  ".claude-plugin/marketplace.json": JSON.stringify({
    name: "Acme Tools!",
    owner: { name: "Acme" },
    plugins: [
      {
        name: "tools",
        source: "./plugins/tools",
        version: "1.2.3",
        category: "dev",
        tags: ["x"],
        author: { name: "A" }
      },
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
  it("gets exactly the contents of the repository, through a link and without a credential", async () => {
    const dir = repositoryIn(plane, repository)
    const connected = await withoutApprovals(owner, await connect(owner, dir))
    const { marketplace } = await imported(owner, connected)
    if (marketplace === null) throw new Error("The import made no marketplace.")
    const document = await manifestOf(owner, marketplace.id)
    expect(document).toMatchObject({ name: "acme-tools", owner: { name: "Acme" } })
    expect(document.plugins.map(({ name }: { name: string }) => name).toSorted()).toEqual(["other", "tools"])
    const entry = document.plugins.find(({ name }: { name: string }) => name === "tools")
    expect(entry).toMatchObject({
      version: expect.stringMatching(/^1\.2\.3\+[0-9a-f]{12}$/u),
      category: "dev",
      tags: ["x"],
      author: { name: "A" },
      license: "MIT",
      description: "Tools for all.",
      source: { source: "archive" }
    })
    const response = await fetched(plane, entry.source.url)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/gzip"])
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="tools.tar.gz"')
    expect(sha256(response.bytes)).toBe(entry.source.sha256)
    const pluginId = new URL(entry.source.url).pathname.split("/").at(-1) ?? ""
    expect(await isGenuine(plane, pluginId, response.headers, response.bytes)).toBe(true)
    const { executable, files } = unpacked(response.bytes)
    const { ".claude-plugin/plugin.json": manifest, ...rest } = files
    expect(rest).toEqual(
      Object.fromEntries(
        Object.entries({ ...tools, "plugins/tools/more/extra.md": "Extra." }).map(([path, text]) => [
          path.replace("plugins/tools/", ""),
          Buffer.from(typeof text === "string" ? text : text.executable).toString("latin1")
        ])
      )
    )
    expect(executable).toEqual(["skills/review/scripts/check.sh"])
    expect(JSON.parse(manifest ?? "")).toEqual({
      name: "tools",
      description: "Tools for all.",
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

const pluginWith = async (name: string, ...inputs: ReadonlyArray<object>): Promise<string> => {
  const { id } = await owner.client.plugins.create({ name, description: "What it is for." })
  for (const input of inputs) {
    const response = await owner.call("POST", "/v1/config-objects", { input, pluginIds: [id] })
    if (response.status !== 201) throw new Error(response.text)
  }
  return id
}
const prose = (type: string, rawSourceText: string, metadata: object = {}) => ({ type, rawSourceText, metadata })

describe("GET /v1/plugins/{id}/archive", () => {
  it("200 places manually created objects where agents look for them", async () => {
    const id = await pluginWith(
      "Code Review",
      prose("skill", skill("review")),
      prose("skill", skill("review", "Another.")),
      prose("agent", "---\nname: Critic ✓\n---\nCriticize."),
      prose("command", "# Ship"),
      prose("context", "print(1)\n", { relativePath: "skills/review/scripts/run.py" }),
      prose("context", "#!/bin/sh\n", { fileName: "run.sh" }),
      prose("context", "out", { relativePath: "../../etc/passwd" }),
      prose("context", "mine", { relativePath: ".claude-plugin/plugin.json" }),
      { type: "mcp", normalizedPayloadJson: { servers: { a: { command: "a" } } } },
      prose("mcp", '{"mcpServers":{"a":{"url":"https://mcp.example/"}}}'),
      prose("hook", '{"hooks":{"Stop":[1]}}'),
      prose("hook", '{"Stop":[2],"Start":[3]}'),
      { type: "tool", normalizedPayloadJson: { b: 1 } }
    )
    const response = await download(owner, id)
    const { executable, files, listing } = unpacked(response.bytes)
    const { ".claude-plugin/plugin.json": manifest = "", ...rest } = files
    expect(Object.keys(rest).toSorted()).toEqual([
      "agents/critic.md",
      "commands/ship.md",
      "context/passwd",
      "context/plugin.json",
      "context/run.sh",
      "skills/review-2/SKILL.md",
      "skills/review/SKILL.md",
      "skills/review/scripts/run.py",
      "tools/untitled-tool.json"
    ])
    expect(JSON.parse(manifest)).toEqual({
      name: "code-review",
      displayName: "Code Review",
      description: "What it is for.",
      hooks: { Stop: [1, 2], Start: [3] },
      mcpServers: { a: { command: "a" }, "a-2": { url: "https://mcp.example/" } }
    })
    expect(executable).toEqual(["context/run.sh"])
    for (const line of listing.trimEnd().split("\n"))
      expect(line).toMatch(/^-rw[x-]r-[x-]r-[x-] 0\/0 .* 1970-01-02 00:00 /)
  })

  it("200 with the same bytes every time for every caller, with a signature for this plugin only", async () => {
    const [id, other] = [await pluginWith("Same", prose("skill", skill("same"))), await pluginWith("Other")]
    const first = await download(owner, id)
    const admin = await addMember(plane, owner, "admin")
    await runSql(plane, (sql) => sql`DELETE FROM plugin_archives WHERE plugin_id = ${id}`)
    const second = await download(admin, id)
    expect(Buffer.from(second.bytes).equals(first.bytes)).toBe(true)
    expect(second.headers.get("etag")).toBe(`"${sha256(first.bytes)}"`)
    expect(await isGenuine(plane, id, first.headers, first.bytes)).toBe(true)
    expect(await isGenuine(plane, other, first.headers, first.bytes)).toBe(false)
    const tampered = first.bytes.slice()
    tampered[tampered.length - 1] = (tampered.at(-1) ?? 0) ^ 1
    expect(await isGenuine(plane, id, first.headers, tampered)).toBe(false)
    const swapped = new Headers(first.headers)
    swapped.set("x-archive-signature", (await download(owner, other)).headers.get("x-archive-signature") ?? "")
    expect(await isGenuine(plane, id, swapped, first.bytes)).toBe(false)
  })

  it("304 for an unchanged archive and headers for HEAD, both without a body", async () => {
    const id = await pluginWith("Known", prose("skill", skill("known")))
    const { headers } = await download(owner, id)
    const etag = headers.get("etag") ?? ""
    const same = await download(owner, id, { "if-none-match": etag })
    expect([same.status, same.bytes.length, same.headers.get("etag")]).toEqual([304, 0, etag])
    const head = await download(owner, id, {}, "HEAD")
    expect([head.status, head.bytes.length, head.headers.get("etag")]).toEqual([200, 0, etag])
    expect(head.headers.get("x-archive-signature")).toBe(headers.get("x-archive-signature"))
    await owner.call("POST", "/v1/config-objects", { input: prose("skill", skill("new")), pluginIds: [id] })
    const changed = await download(owner, id, { "if-none-match": etag })
    expect([changed.status, changed.headers.get("etag") === etag]).toEqual([200, false])
  })

  it("409 for more than 10 000 files or 100 MB, with the count or size", async () => {
    const fill = async (name: string, count: number, bytes: number) => {
      const id = await pluginWith(name)
      const org = owner.organizationId
      await runSql(plane, (sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title,
                latest_version_id, created_at, updated_at)
              SELECT ${org}, ${id} || 'o' || i, 'context', 'cloud', 'active', 'c', ${id} || 'v' || i, now(), now()
              FROM generate_series(1, ${count}::int) i`
            yield* sql`INSERT INTO config_object_versions (organization_id, id, config_object_id, ordinal, source_text,
                content_digest, created_via, created_at)
              SELECT ${org}, ${id} || 'v' || i, ${id} || 'o' || i, 1, repeat('x', ${bytes}::int), 'd', 'cloud', now()
              FROM generate_series(1, ${count}::int) i`
            yield* sql`INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
              SELECT ${org}, ${id} || 'm' || i, ${id}, ${id} || 'o' || i, now()
              FROM generate_series(1, ${count}::int) i`
            // As the database does by itself within a minute: plans made for a handful of rows are forgotten.
            yield* sql`ANALYZE`
          })
        )
      )
      return id
    }
    const large = await fill("Large", 101, 1_000_000)
    const tooLarge = await download(owner, large)
    expect([tooLarge.status, JSON.parse(Buffer.from(tooLarge.bytes).toString()).error]).toEqual([
      409,
      "plugin_archive_too_large"
    ])
    // It is left out of what agents are offered, and takes nothing else with it.
    const marketplace = await makeMarketplace(plane, owner, [large, await pluginWith("Fine")])
    expect((await manifestOf(owner, marketplace)).plugins.map(({ name }: { name: string }) => name)).toEqual(["fine"])
    // With the manifest it is one file too many.
    const many = await fill("Many", 10_000, 1)
    expect((await download(owner, many)).status).toBe(409)
    await runSql(plane, (sql) => sql`UPDATE plugin_memberships SET removed_at = now() WHERE id = ${`${many}m1`}`)
    const whole = await download(owner, many)
    expect([whole.status, sha256(whole.bytes)]).toEqual([200, whole.headers.get("etag")?.replaceAll('"', "")])
  })

  it("409 for files that cannot exist in the same folder", async () => {
    const dir = repositoryIn(plane, {
      "plugin.json": '{"name":"clash"}',
      "skills/a/SKILL.md": skill("a"),
      "skills/b/SKILL.md": skill("b")
    })
    const { plugins } = await imported(owner, await withoutApprovals(owner, await connect(owner, dir)))
    const id = plugins[0]?.id ?? ""
    expect((await download(owner, id)).status).toBe(200)
    for (const path of ["skills/A/skill.md", "skills/a", "../b", "/b", "b\u0000"]) {
      if (path.includes("\u0000")) continue
      await runSql(
        plane,
        (sql) => sql`UPDATE config_objects SET relative_path = ${path}
          WHERE organization_id = ${owner.organizationId} AND title = 'b'`
      )
      const response = await download(owner, id)
      expect([path, response.status, JSON.parse(Buffer.from(response.bytes).toString()).error]).toEqual([
        path,
        409,
        "plugin_archive_refused"
      ])
    }
  })

  it("404 while the plugin is archived, which hides its contents", async () => {
    const reader = await addMember(plane, owner, "member")
    const plugin = await owner.client.plugins.create({ name: "put away" })
    await owner.client.configObjects.create({
      input: { type: "command", rawSourceText: "# Secret\n" },
      pluginIds: [plugin.id]
    })
    await owner.client.plugins.grantAccess(plugin.id, { orgMembershipId: reader.membershipId, role: "viewer" })
    expect((await download(reader, plugin.id)).status).toBe(200)
    await owner.client.plugins.archive(plugin.id)
    expect((await reader.client.plugins.listObjects(plugin.id)).items).toEqual([])
    for (const person of [reader, owner]) {
      const { bytes, status } = await download(person, plugin.id)
      expect([status, Buffer.from(bytes).toString()]).toEqual([
        404,
        '{"error":"plugin_archive_not_found","message":"No such plugin archive."}'
      ])
    }
    await owner.client.plugins.restore(plugin.id)
    expect((await download(reader, plugin.id)).status).toBe(200)
  })

  it("404 with identical bytes for a missing, foreign or hidden plugin", async () => {
    const stranger = await makeWorkspace(plane, "Strangers")
    const member = await addMember(plane, owner, "member")
    const id = await pluginWith("Hidden")
    const responses = [
      await download(stranger, id),
      await download(member, id),
      await download(owner, `plg_${"0".repeat(26)}`)
    ]
    expect(responses.map(({ bytes, status }) => [status, Buffer.from(bytes).toString()])).toEqual(
      responses.map(() => [404, '{"error":"plugin_not_found","message":"No such plugin."}'])
    )
  })
})

describe("a link of marketplace.json", () => {
  const offer = async (person: Workspace, marketplace: string) =>
    new URL((await manifestOf(person, marketplace)).plugins[0].source.url)
  const notFound = '{"error":"plugin_archive_not_found","message":"No such plugin archive."}'
  const refused = async (url: URL | string) => {
    const response = await fetched(plane, String(url))
    expect([response.status, Buffer.from(response.bytes).toString()]).toEqual([404, notFound])
  }

  it("is rejected after any change, and in any other place", async () => {
    const [mine, other] = [await pluginWith("Mine", prose("skill", skill("m"))), await pluginWith("Other")]
    const stranger = await makeWorkspace(plane, "Strangers")
    const url = await offer(owner, await makeMarketplace(plane, owner, [mine]))
    const theirs = await offer(owner, await makeMarketplace(plane, owner, [other]))
    expect((await fetched(plane, url.href)).status).toBe(200)
    const changes: Record<string, string> = {
      organizationId: stranger.organizationId,
      holder: (await addMember(plane, owner, "admin")).membershipId,
      sha256: theirs.searchParams.get("sha256") ?? "",
      expires: String(Number(url.searchParams.get("expires")) + 1),
      signature: theirs.searchParams.get("signature") ?? ""
    }
    for (const [name, value] of Object.entries(changes)) {
      const changed = new URL(url)
      changed.searchParams.set(name, value)
      await refused(changed)
    }
    await refused(url.href.replace(mine, other))
    // The last character of base64url has spare bits: no other spelling is taken.
    const signature = url.searchParams.get("signature") ?? ""
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      if (signature.endsWith(last)) continue
      const changed = new URL(url)
      changed.searchParams.set("signature", signature.slice(0, -1) + last)
      await refused(changed)
    }
    for (const [name, value] of [
      ["expires", "soon"],
      ["sha256", "x"],
      ["signature", ""],
      ["holder", "usr_1"]
    ] as const) {
      const changed = new URL(url)
      changed.searchParams.set(name, value)
      expect([name, (await fetched(plane, changed.href)).status]).toEqual([name, 400])
    }
  })

  it("expires after at most one hour", async () => {
    const id = await pluginWith("Short", prose("skill", skill("s")))
    const url = await offer(owner, await makeMarketplace(plane, owner, [id]))
    const seconds = Number(url.searchParams.get("expires")) - Math.floor(Date.now() / 1000)
    expect(seconds).toBeLessThanOrEqual(3600)
    const link = {
      organizationId: owner.organizationId as Id<"org">,
      pluginId: id as Id<"plg">,
      holder: owner.membershipId as Id<"om">,
      sha256: url.searchParams.get("sha256") ?? ""
    }
    const signedFor = (expires: number) =>
      withServices(
        plane,
        Effect.map(makeLinks, ({ urlOf }) => urlOf({ ...link, expires: String(expires) }))
      )
    const now = Math.floor(Date.now() / 1000)
    expect((await fetched(plane, await signedFor(now + 600))).status).toBe(200)
    await refused(await signedFor(now - 1))
  })

  it("expires when the content changes, the plugin is removed, or its holder loses access", async () => {
    const member = await addMember(plane, owner, "member")
    const id = await pluginWith("Shared", prose("skill", skill("s")))
    const marketplace = await makeMarketplace(plane, owner, [id])
    const grant = await owner.client.marketplaces.grantAccess(marketplace, {
      orgMembershipId: member.membershipId,
      role: "viewer"
    })
    const url = await offer(member, marketplace)
    expect((await fetched(plane, url.href)).status).toBe(200)
    await owner.client.marketplaces.revokeAccess(marketplace, grant.id)
    await refused(url)
    // The owner's own link is another's business.
    const owners = await offer(owner, marketplace)
    expect((await fetched(plane, owners.href)).status).toBe(200)
    await owner.client.marketplaces.grantAccess(marketplace, { orgMembershipId: member.membershipId, role: "viewer" })
    expect((await fetched(plane, url.href)).status).toBe(200)
    await owner.client.members.remove(member.membershipId)
    await refused(url)
    await owner.call("POST", "/v1/config-objects", { input: prose("skill", skill("t")), pluginIds: [id] })
    await refused(owners)
    const renewed = await offer(owner, marketplace)
    expect((await fetched(plane, renewed.href)).status).toBe(200)
    await runSql(plane, (sql) => sql`UPDATE plugins SET deleted_at = now() WHERE id = ${id}`)
    await refused(renewed)
  })

  it("expires with the API key that it was issued to", async () => {
    const id = await pluginWith("For keys", prose("skill", skill("k")))
    const marketplace = await makeMarketplace(plane, owner, [id])
    await owner.client.marketplaces.grantAccess(marketplace, { orgWide: true, role: "viewer" })
    const key = await makeKey(plane, owner, ["marketplaces:read"])
    const { body } = await key.call("GET", `/v1/marketplaces/${marketplace}/marketplace.json`)
    const { url } = body.plugins[0].source
    expect((await fetched(plane, url)).status).toBe(200)
    await owner.client.apiKeys.revoke(key.id)
    await refused(url)
  })

  it("is rejected by a server with another signing key", async () => {
    const id = await pluginWith("Elsewhere", prose("skill", skill("e")))
    const url = await offer(owner, await makeMarketplace(plane, owner, [id]))
    const elsewhere = await makeControlPlane({
      workers: false,
      secretKeys: ["another secret for tests only, long enough to be one"]
    })
    const response = await fetched(elsewhere, url.href)
    expect([response.status, Buffer.from(response.bytes).toString()]).toEqual([404, notFound])
  })
})

describe("GET /v1/marketplaces/{id}/marketplace.json", () => {
  it("200 gives every plugin a unique kebab-case name, and includes only what the caller can see", async () => {
    const ids = [
      await pluginWith("Code Review", prose("skill", skill("a"))),
      await pluginWith("code review!", prose("skill", skill("b"))),
      await pluginWith("ÉTÉ ✓", prose("skill", skill("c"))),
      await pluginWith("日本語", prose("skill", skill("d")))
    ]
    const marketplace = await makeMarketplace(plane, owner, ids, "日本語")
    const document = await manifestOf(owner, marketplace)
    expect(document).toMatchObject({
      name: "marketplace",
      owner: { name: "Acme" },
      metadata: { description: "日本語" }
    })
    expect(document.plugins.map(({ name }: { name: string }) => name)).toEqual([
      "code-review",
      `code-review-${ids[1]?.slice(-6)}`,
      "ete",
      "plugin"
    ])
    // A key that manages marketplaces sees no plugin by that.
    const key = await makeKey(plane, owner, ["marketplaces:read", "marketplaces:manage"])
    const { body } = await key.call("GET", `/v1/marketplaces/${marketplace}/marketplace.json`)
    expect(body.plugins).toEqual([])
  })

  it("304 while the links are valid and nothing changed", async () => {
    const id = await pluginWith("Polled", prose("skill", skill("p")))
    const path = `/v1/marketplaces/${await makeMarketplace(plane, owner, [id])}/marketplace.json`
    const ask = (etag: string) => owner.call("GET", path, undefined, { "if-none-match": etag })
    // Twice, since five minutes may end between the two requests.
    const poll = async () => ask((await owner.call("GET", path)).headers.get("etag") ?? "")
    expect([(await poll()).status, (await poll()).status]).toContain(304)
    const { headers } = await owner.call("GET", path)
    await owner.call("POST", "/v1/config-objects", { input: prose("skill", skill("q")), pluginIds: [id] })
    expect((await ask(headers.get("etag") ?? "")).status).toBe(200)
    const head = await fetched(plane, path, { authorization: `Bearer ${owner.token}` }, "HEAD")
    expect([head.status, head.bytes.length]).toEqual([200, 0])
  })

  it("404 with identical bytes for a missing, foreign or hidden marketplace", async () => {
    const marketplace = await makeMarketplace(plane, owner, [])
    const member = await addMember(plane, owner, "member")
    const stranger = await makeWorkspace(plane, "Strangers")
    const at = (id: string) => `/v1/marketplaces/${id}/marketplace.json`
    const responses = [
      await member.call("GET", at(marketplace)),
      await stranger.call("GET", at(marketplace)),
      await owner.call("GET", at(`mkt_${"0".repeat(26)}`))
    ]
    expect(responses.map(({ status, text }) => [status, text])).toEqual(
      responses.map(() => [404, '{"error":"marketplace_not_found","message":"No such marketplace."}'])
    )
  })
})
