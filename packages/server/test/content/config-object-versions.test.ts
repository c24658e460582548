/** Versions through the API: written, restored and compared; and the required front matter of skills. */
import { applyPatch } from "diff"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeId } from "../../src/infra/ids.ts"
import { payloadChanges, textDiff } from "../../src/content/config-objects/version-diff.ts"
import { connect, imported, marketplace, objectsOf, repositoryIn, skill } from "./connectors.fixture.ts"
import {
  addMember,
  type TestResponse,
  makeControlPlane,
  makeWorkspace,
  type Person,
  rowCounts,
  runSql,
  type Workspace
} from "../harness.ts"
import { makeProvisional } from "../infra/http-world.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")

const createObject = async (input: object, person: Person = owner) => {
  const response = await person.call("POST", "/v1/config-objects", { input: { type: "context", ...input } })
  if (response.status !== 201) throw new Error(response.text)
  return response.body.item
}
const write = (id: string, input: object, person: Person = owner, headers = {}) =>
  person.call("POST", `/v1/config-objects/${id}/versions`, { input }, headers)
const get = async (id: string) => (await owner.call("GET", `/v1/config-objects/${id}`)).body.item
const restore = (id: string, versionId: string, person: Person = owner) =>
  person.call("POST", `/v1/config-objects/${id}/versions/${versionId}/restore`)
const ordinals = async (id: string) =>
  (await owner.call("GET", `/v1/config-objects/${id}/versions`)).body.items.map(
    ({ ordinal }: { ordinal: number }) => ordinal
  )
const faults = ({ body }: TestResponse) =>
  body.details.map(({ code, path }: { code?: string; path: ReadonlyArray<string> }) => [path.join("."), code])
const grantTo = (id: string, person: Workspace, role: string) =>
  owner.call("POST", `/v1/config-objects/${id}/access`, { orgMembershipId: person.membershipId, role })

describe("POST /v1/config-objects/{id}/versions", () => {
  it("201 writes the next version, which determines the title of the object", async () => {
    const object = await createObject({ rawSourceText: "# One\n\nThe first.", metadata: { fileName: "one.md" } })
    const response = await write(object.id, { rawSourceText: "# Two\n\nThe second.", schemaVersion: "2" })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      ok: true,
      item: {
        ...object.latestVersion,
        id: expect.stringMatching(/^cov_/),
        ordinal: 2,
        schemaVersion: "2",
        rawSourceText: "# Two\n\nThe second.",
        contentDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        createdAt: expect.any(String)
      }
    })
    expect(response.body.item.contentDigest).not.toBe(object.latestVersion.contentDigest)
    expect(await get(object.id)).toMatchObject({
      title: "Two",
      description: "The second.",
      currentFileName: "one.md",
      latestVersion: response.body.item
    })
    const moved = await write(object.id, { rawSourceText: "# Three", metadata: { relativePath: "docs/three.md" } })
    expect(moved.status).toBe(201)
    expect(await get(object.id)).toMatchObject({ currentFileName: "three.md", currentRelativePath: "docs/three.md" })
    expect(await ordinals(object.id)).toEqual([3, 2, 1])
  })

  it("200 returns the latest version if the content is the same, and writes none", async () => {
    const object = await createObject({ rawSourceText: "# Same", normalizedPayloadJson: { a: 1, b: { c: [2], d: 3 } } })
    const before = await rowCounts(plane)
    for (const normalizedPayloadJson of [
      { a: 1, b: { c: [2], d: 3 } },
      { b: { d: 3, c: [2] }, a: 1 }
    ]) {
      const response = await write(object.id, { rawSourceText: "# Same", normalizedPayloadJson })
      expect([response.status, response.body.item]).toEqual([200, object.latestVersion])
    }
    const { audit_events: audit, ...after } = await rowCounts(plane)
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== "audit_events")))
    expect(audit).toBe((before["audit_events"] ?? 0) + 2)
    expect((await get(object.id)).updatedAt).toBe(object.updatedAt)
    for (const input of [{ rawSourceText: "# Same" }, { normalizedPayloadJson: { a: 1, b: { c: [2], d: 3 } } }]) {
      expect((await write(object.id, input)).status).toBe(201)
    }
  })

  it("400 without text and payload or with too much of either, and writes nothing", async () => {
    const object = await createObject({ rawSourceText: "# One" })
    const before = await rowCounts(plane)
    const tooLong = `${"é".repeat(524_288)}x`
    for (const input of [{}, { metadata: {} }, { rawSourceText: "" }, { rawSourceText: tooLong }]) {
      const response = await write(object.id, input)
      expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    }
    expect(faults(await write(object.id, { rawSourceText: tooLong }))).toEqual([
      ["body.input.rawSourceText", undefined]
    ])
    expect(await rowCounts(plane)).toEqual(before)
    expect((await write(object.id, { rawSourceText: "é".repeat(524_288) })).status).toBe(201)
  })

  it("rejects callers who can only view the object, and hides it from others", async () => {
    const object = await createObject({ rawSourceText: "# One" })
    const [viewer, editor, nobody] = [
      await addMember(plane, owner, "member"),
      await addMember(plane, owner, "member"),
      await addMember(plane, owner, "member")
    ]
    await grantTo(object.id, viewer, "viewer")
    await grantTo(object.id, editor, "editor")
    const input = { rawSourceText: "# Two" }
    const refused = await write(object.id, input, viewer)
    expect([refused.status, refused.body.reason]).toEqual([403, "grant_required"])
    const missing = await write(makeId("cob"), input)
    for (const person of [nobody, stranger]) {
      const response = await write(object.id, input, person)
      expect([response.status, response.text]).toEqual([404, missing.text])
    }
    const done = await write(object.id, input, editor)
    expect([done.status, done.body.item.createdByOrgMembershipId]).toEqual([201, editor.membershipId])
  })

  it("writes one version for a repeated idempotency key, and serializes concurrent writers", async () => {
    const object = await createObject({ rawSourceText: "# One" })
    const ask = () => write(object.id, { rawSourceText: "# Two" }, owner, { "idempotency-key": "twice" })
    const [once, twice] = [await ask(), await ask()]
    expect([once.status, twice.status, twice.text]).toEqual([201, 201, once.text])
    expect(twice.headers.get("idempotent-replayed")).toBe("true")
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, index) => write(object.id, { rawSourceText: `# Writer ${index}` }))
    )
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 201))
    expect(await ordinals(object.id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it("409 while the object is archived, 404 after it is removed", async () => {
    const object = await createObject({ rawSourceText: "# One" })
    await owner.client.configObjects.archive(object.id)
    const [written, restored] = [
      await write(object.id, { rawSourceText: "# Two" }),
      await restore(object.id, object.latestVersion.id)
    ]
    for (const { body, status } of [written, restored]) {
      expect([status, body.error]).toEqual([409, "config_object_archived"])
    }
    await owner.client.configObjects.remove(object.id)
    expect((await write(object.id, { rawSourceText: "# Two" })).status).toBe(404)
  })
})

describe("POST /v1/config-objects/{id}/versions/{versionId}/restore", () => {
  it("201 writes a new version with the earlier content, and keeps the earlier version", async () => {
    const object = await createObject({ rawSourceText: "# One\n\nIt is.", schemaVersion: "7" })
    const { id: first } = object.latestVersion
    await write(object.id, { rawSourceText: "# Two" })
    const response = await restore(object.id, first)
    expect(response.status).toBe(201)
    expect(response.body.item).toEqual({
      ...object.latestVersion,
      id: expect.stringMatching(/^cov_/),
      ordinal: 3,
      createdAt: expect.any(String)
    })
    expect(await get(object.id)).toMatchObject({
      title: object.title,
      description: object.description,
      searchText: object.searchText,
      latestVersion: response.body.item
    })
    expect((await owner.call("GET", `/v1/config-objects/${object.id}/versions/${first}`)).body.item).toEqual(
      object.latestVersion
    )
    const again = await restore(object.id, first)
    expect([again.status, again.body.item]).toEqual([200, response.body.item])
    expect(await ordinals(object.id)).toEqual([3, 2, 1])
  })

  it("restores a payload that determines the object's title", async () => {
    const object = await createObject({ type: "custom", normalizedPayloadJson: { title: "Payload", z: 1, a: [null] } })
    await write(object.id, { normalizedPayloadJson: { title: "Other" } })
    const response = await restore(object.id, object.latestVersion.id)
    expect([response.status, response.body.item.contentDigest]).toEqual([201, object.latestVersion.contentDigest])
    const { searchText, title } = await get(object.id)
    expect([title, searchText.split(" ").toSorted()]).toEqual(["Payload", object.searchText.split(" ").toSorted()])
  })

  it("404 with identical bytes for a version of another object or a missing one, after 403 for callers who can only view", async () => {
    const [one, two] = [await createObject({ rawSourceText: "# 1" }), await createObject({ rawSourceText: "# 2" })]
    const missing = await restore(one.id, makeId("cov"))
    const other = await restore(one.id, two.latestVersion.id)
    expect([missing.status, other.status, other.text]).toEqual([404, 404, missing.text])
    const viewer = await addMember(plane, owner, "member")
    await grantTo(one.id, viewer, "viewer")
    expect((await restore(one.id, makeId("cov"), viewer)).body.reason).toBe("grant_required")
  })
})

describe("GET /v1/config-objects/{id}/versions/{versionId}/diff", () => {
  const diff = (id: string, versionId: string, query = "", person: Person = owner) =>
    person.call("GET", `/v1/config-objects/${id}/versions/${versionId}/diff${query}`)

  it("200 compares text and payload with the previous version or with the named one", async () => {
    const object = await createObject({
      rawSourceText: "# One\nkept\n",
      normalizedPayloadJson: { a: 1, "x/y": { "~": [1, 2] } }
    })
    const first = object.latestVersion
    const second = (
      await write(object.id, {
        rawSourceText: "# Two\nkept\n",
        normalizedPayloadJson: { b: null, "x/y": { "~": [1, 3, 4] } }
      })
    ).body.item
    const third = (await write(object.id, { rawSourceText: "# Three\nkept" })).body.item
    const response = await diff(object.id, second.id)
    const named = (version: { id: string; ordinal: number; contentDigest: string; createdAt: string }) => {
      const { contentDigest, createdAt, id, ordinal } = version
      return { id, ordinal, contentDigest, createdAt }
    }
    expect(response.status).toBe(200)
    expect(response.body.item).toEqual({
      configObjectId: object.id,
      from: named(first),
      to: named(second),
      textDiff: "--- version 1\n+++ version 2\n@@ -1,2 +1,2 @@\n-# One\n+# Two\n kept\n",
      payloadChanges: [
        { op: "remove", path: "/a", before: 1, after: null },
        { op: "replace", path: "/x~1y/~0/1", before: 2, after: 3 },
        { op: "add", path: "/x~1y/~0/2", before: null, after: 4 },
        { op: "add", path: "/b", before: null, after: null }
      ],
      truncated: false,
      capabilities: { needsReview: false, grew: [], changed: [], shrank: [], truncated: false, signals: [] }
    })
    const far = (await diff(object.id, third.id, `?against=${first.id}`)).body.item
    expect([far.from, far.to]).toEqual([named(first), named(third)])
    expect(far.textDiff).toContain("\\ No newline at end of file")
    const back = (await diff(object.id, first.id, `?against=${third.id}`)).body.item
    expect(applyPatch(third.rawSourceText, back.textDiff)).toBe(first.rawSourceText)
    const none = (await diff(object.id, third.id, `?against=${third.id}`)).body.item
    expect([none.textDiff, none.payloadChanges]).toEqual(["", []])
  })

  it("200 shows everything in the first version as added", async () => {
    const object = await createObject({ rawSourceText: "one\ntwo\n", normalizedPayloadJson: { a: 1 } })
    const { item } = (await diff(object.id, object.latestVersion.id)).body
    expect(item.from).toBeNull()
    expect(item.textDiff).toBe("--- /dev/null\n+++ version 1\n@@ -0,0 +1,2 @@\n+one\n+two\n")
    expect(item.payloadChanges).toEqual([{ op: "add", path: "", before: null, after: { a: 1 } }])
  })

  it("400 for an invalid version in the query, 404 for an invalid version in the path", async () => {
    const [one, two] = [await createObject({ rawSourceText: "1" }), await createObject({ rawSourceText: "2" })]
    const foreign = await createObject({ rawSourceText: "3" }, stranger)
    const { id } = one.latestVersion
    const responses = await Promise.all(
      [makeId("cov"), two.latestVersion.id, foreign.latestVersion.id].map((other) =>
        diff(one.id, id, `?against=${other}`)
      )
    )
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0] && [responses[0].status, ...faults(responses[0])]).toEqual([400, ["query.against", undefined]])
    expect((await diff(one.id, id, "?against=x")).status).toBe(400)
    const missing = await diff(one.id, makeId("cov"))
    for (const other of [two.latestVersion.id, foreign.latestVersion.id]) {
      expect((await diff(one.id, other)).text).toBe(missing.text)
    }
    expect([missing.status, missing.body.error]).toEqual([404, "config_object_version_not_found"])
    expect((await diff(one.id, id, "", stranger)).body.error).toBe("config_object_not_found")
  })

  it("lists a thousand changes of a payload, and indicates that there are more", async () => {
    const wide = (value: number) => Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`m${index}`, value]))
    const object = await createObject({ type: "custom", normalizedPayloadJson: wide(1) })
    const { item } = (await write(object.id, { normalizedPayloadJson: wide(2) })).body
    const diffItem = (await diff(object.id, item.id)).body.item
    expect([diffItem.payloadChanges.length, diffItem.truncated]).toEqual([1000, true])
  })
})

describe("a text difference", () => {
  const texts = fc
    .array(fc.constantFrom("a\n", "b\n", "a", "\n", "é\r\n", "-x\n", "+y\n", "\\ No\n", "@@ -1 +1 @@\n"), {
      maxLength: 30
    })
    .map((parts) => parts.join(""))

  it("transforms the first text into the second, for any texts", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const patch = textDiff(before, after, ["before", "after"])
        expect(patch === "").toBe(before === after)
        expect(applyPatch(before, patch === "" ? "--- a\n+++ b\n" : patch)).toBe(after)
      }),
      { numRuns: 2000 }
    )
  })

  it("replaces whole lines if the shortest difference would take too long", () => {
    const lines = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}\n`)
    const text = (name: string, count: number) =>
      ["head 1\n", "head 2\n", "head 3\n", "head 4\n", ...lines(name, count), "tail 1\n", "tail 2"].join("")
    for (const [before, after] of [
      [text("old", 3000), text("new", 2500)],
      [text("old", 40_000), text("new", 40_000)],
      ["", text("new", 60_000)],
      [text("old", 60_000), ""],
      ["\n".repeat(1_048_576), "\n".repeat(1_048_575)]
    ] as const) {
      const patch = textDiff(before, after, ["before", "after"])
      expect(applyPatch(before, patch) === after).toBe(true)
    }
    expect(textDiff(text("old", 3000), text("new", 2500), ["a", "b"]).split("\n")[2]).toBe("@@ -2,3005 +2,2505 @@")
  })
})

describe("a payload difference", () => {
  const values = fc.object({
    maxDepth: 3,
    maxKeys: 4,
    key: fc.constantFrom("a", "b", "/", "~", "a/b"),
    values: [fc.integer({ min: 0, max: 2 }), fc.constant(null), fc.constantFrom("x", "y")],
    withNullPrototype: false
  })
  const parts = (path: string) =>
    path
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

  it("transforms the first payload into the second, for any payloads", () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const { changes, truncated } = payloadChanges(before as never, after as never)
        expect(truncated).toBe(false)
        // Items are removed from the end of lists.
        const ordered = [
          ...changes.filter(({ op }) => op !== "remove"),
          ...changes.filter(({ op }) => op === "remove").toReversed()
        ]
        let copy = structuredClone(before) as unknown
        for (const { after: value, before: old, op, path } of ordered) {
          const names = parts(path)
          const last = names.pop()
          const holder = names.reduce((at, name) => (at as Record<string, unknown>)[name], copy) as Record<
            string,
            unknown
          >
          if (last === undefined) copy = value
          else if (op === "remove") {
            expect(holder[last]).toEqual(old)
            if (Array.isArray(holder)) holder.splice(Number(last), 1)
            else delete holder[last]
          } else holder[last] = value
        }
        expect(copy).toEqual(after)
      }),
      { numRuns: 1000 }
    )
  })
})

describe("a skill", () => {
  const head = (yaml: string) => `---\n${yaml}\n---\n\nDo it.\n`
  const good = head("name: do-it\ndescription: Does it.")
  const bad: ReadonlyArray<readonly [what: string, text: string, faults: number]> = [
    ["no front matter", "# Do it\n", 1],
    ["front matter that is not closed", "---\nname: do-it\ndescription: Does it.\n", 1],
    ["front matter that is no YAML", head("name: do-it\ndescription: Use when: it breaks"), 1],
    ["front matter that is a list", head("- name"), 1],
    [
      "front matter of more tokens than are parsed",
      head(`name: do-it\ndescription: Does it.\nnumbers: [${"1,".repeat(2600)}1]`),
      1
    ],
    ["neither name nor description", head("title: Do it"), 2],
    ["no name", head("description: Does it."), 1],
    ["an empty name", head('name: ""\ndescription: Does it.'), 1],
    ["a name with capitals", head("name: Do-It\ndescription: Does it."), 1],
    ["a name with spaces", head("name: do it\ndescription: Does it."), 1],
    ["a name with two hyphens", head("name: do--it\ndescription: Does it."), 1],
    ["a name with a hyphen at its end", head("name: do-it-\ndescription: Does it."), 1],
    ["a name that is a number", head("name: 7\ndescription: Does it."), 1],
    ["a name of 65 characters", head(`name: ${"a".repeat(65)}\ndescription: Does it.`), 1],
    ["a name beyond ASCII", head("name: dö-it\ndescription: Does it."), 1],
    ["no description", head("name: do-it"), 1],
    ["a blank description", head('name: do-it\ndescription: "  "'), 1],
    ["a description that is a list", head("name: do-it\ndescription: [a]"), 1],
    ["a description of 1025 characters", head(`name: do-it\ndescription: ${"é".repeat(1025)}`), 1]
  ]

  it.each(bad)(
    "is rejected with the name of the error, and nothing is written: %s",
    async (_, rawSourceText, count) => {
      const object = await createObject({ type: "skill", rawSourceText: good })
      const before = await rowCounts(plane)
      for (const response of [
        await owner.call("POST", "/v1/config-objects", { input: { type: "skill", rawSourceText } }),
        await write(object.id, { rawSourceText })
      ]) {
        expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
        expect(faults(response)).toEqual(
          Array.from({ length: count }, () => ["body.input.rawSourceText", "invalid_skill_front_matter"])
        )
      }
      expect(await rowCounts(plane)).toEqual(before)
      // Other types need no front matter.
      expect((await createObject({ type: "agent", rawSourceText })).status).toBe("active")
    }
  )

  it.each([
    ["one letter", head("name: a\ndescription: b")],
    ["64 characters and 1024", head(`name: ${"a".repeat(64)}\ndescription: ${"é".repeat(1024)}`)],
    ["digits, a byte order mark, CRLF", "\ufeff---\r\nname: 2-b-3\r\ndescription: 'Use: when'\r\n---\r\n"],
    ["further members", head("name: a\ndescription: >\n  Folded\n  text\nlicense: MIT\nmetadata:\n  author: me")]
  ])("is accepted with %s", async (_, rawSourceText) => {
    expect((await createObject({ type: "skill", rawSourceText })).latestVersion.rawSourceText).toBe(rawSourceText)
  })

  it.each([
    ["a comment", "<!-- # Not this\n-->\n# This\n", "This"],
    ["a comment that is not closed", "# This\n<!-- # Not this\n", "This"],
    ["comments that open again and again", `# This\n${"<!-- ".repeat(40_000)}`, "This"],
    ["a comment without a heading after it", "<!-- # Not this -->\nA line.\n", "A line."]
  ])(
    "takes its title from the first heading outside comments, or its first line: %s",
    async (_, rawSourceText, title) => {
      expect((await createObject({ type: "agent", rawSourceText })).title).toBe(title)
    }
  )

  it("with only a payload is validated by the front matter in the payload", async () => {
    const create = (normalizedPayloadJson: object) =>
      owner.call("POST", "/v1/config-objects", { input: { type: "skill", normalizedPayloadJson } })
    expect((await create({ steps: [1] })).status).toBe(201)
    expect((await create({ frontMatter: { name: "do-it", description: "Does it." } })).status).toBe(201)
    const refused = await create({ frontMatter: { name: "Do it" } })
    const place = "body.input.normalizedPayloadJson.frontMatter"
    expect([refused.status, ...faults(refused)]).toEqual([
      400,
      [place, "invalid_skill_front_matter"],
      [place, "invalid_skill_front_matter"]
    ])
  })
})

describe("an object managed by a connector", () => {
  const imports = async () => {
    const person = await makeWorkspace(plane, "Imports")
    const dir = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": marketplace(["alpha"]),
      "plugins/alpha/.claude-plugin/plugin.json": JSON.stringify({ name: "alpha" }),
      "plugins/alpha/skills/good/SKILL.md": skill("good"),
      "plugins/alpha/skills/odd/SKILL.md": "# Odd\n"
    })
    const applied = await imported(person, await connect(person, dir))
    const [plugin] = applied.plugins
    if (plugin === undefined || applied.marketplace === null) throw new Error("Nothing was imported.")
    const objects = await objectsOf(person, plugin.id)
    const [good, odd] = ["good", "odd"].map((name) => objects.get(`plugins/alpha/skills/${name}/SKILL.md`))
    if (good === undefined || odd === undefined) throw new Error("A skill was not imported.")
    return { person, applied, plugin, marketplaceId: applied.marketplace.id, good, odd }
  }

  it("can be changed only in its repository, and archived here", async () => {
    const { good, marketplaceId, person, plugin } = await imports()
    const object = `/v1/config-objects/${good.id}`
    const requests: ReadonlyArray<readonly [string, string, object?]> = [
      ["POST", `${object}/versions`, { input: { rawSourceText: skill("good", "Other.") } }],
      ["POST", `${object}/versions/${good.latestVersion?.id}/restore`],
      ["DELETE", object],
      ["DELETE", `${object}/plugins/${plugin.id}`],
      ["DELETE", `/v1/plugins/${plugin.id}/config-objects/${good.id}`],
      ["PATCH", `/v1/plugins/${plugin.id}`, { name: "Mine" }],
      ["PATCH", `/v1/marketplaces/${marketplaceId}`, { name: "Mine" }]
    ]
    for (const [method, path, body] of requests) {
      const response = await person.call(method, path, body)
      expect([method, path, response.status, response.body.reason]).toEqual([method, path, 403, "managed_by_connector"])
    }
    expect((await person.client.configObjects.archive(good.id)).status).toBe("archived")
    expect((await person.client.plugins.archive(plugin.id)).archivedAt).not.toBeNull()
    const logoUrl = "https://cdn.example/logo.png"
    expect((await person.client.marketplaces.update(marketplaceId, { logoUrl })).logoUrl).toBe(logoUrl)
  })

  it("is imported even if it is an invalid skill, with an ingestion error", async () => {
    const { applied, good, odd, person } = await imports()
    expect([good.status, odd.status]).toEqual(["active", "ingestion_error"])
    expect(applied.syncEvent.status).toBe("completed")
    expect(applied.syncEvent.warnings).toEqual(
      expect.arrayContaining([expect.stringMatching(/odd\/SKILL\.md.*The front matter of a skill requires "name"/)])
    )
    await person.client.configObjects.archive(odd.id)
    expect((await person.client.configObjects.restore(odd.id)).status).toBe("ingestion_error")
  })
})

describe("an unclaimed workspace", () => {
  it("409 for a version that exceeds its quota of 50 MB", async () => {
    const agent = await makeProvisional(plane)
    const [object, large] = [
      await createObject({ rawSourceText: "# One" }, agent),
      await createObject({ rawSourceText: "# 2" }, agent)
    ]
    // Incompressible texts, because the quota counts stored bytes.
    await runSql(
      plane,
      (sql) => sql`UPDATE config_object_versions
        SET source_text = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 1600000) i)
        WHERE id = ${large.latestVersion.id}`
    )
    const refused = await write(object.id, { rawSourceText: "# Two" }, agent)
    expect([refused.status, refused.body.error]).toEqual([409, "quota_exceeded"])
    const same = await write(object.id, { rawSourceText: "# One" }, agent)
    expect([same.status, same.body.item]).toEqual([200, object.latestVersion])
  })
})
