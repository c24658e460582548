import * as Templates from "@orgplane/schema/templates"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { addMember, makeControlPlane, makeKey, makeRole, makeWorkspace, rowCounts, runSql } from "../harness.ts"
import { createTemplate, makeTemplate, reviewer, someTemplate, variable } from "./templates.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const owner = await makeWorkspace(plane)
const stranger = await makeWorkspace(plane, "Theirs")
const missing = "tpl_01h455vb4pex5vsknk084sn02q"
const missingVersion = "tpv_01h455vb4pex5vsknk084sn02q"
const values = { team: "Payments", slug: "payments-review" }

const faults = (body: {
  readonly details: ReadonlyArray<{ readonly path: ReadonlyArray<unknown>; message: string }>
}) => body.details.map(({ message, path }) => `${path.join(".")}: ${message}`)

const plain = (rawSourceText: string, type = "context") => ({
  plugin: { name: "P" },
  objects: [{ type, rawSourceText }],
  variables: [variable("x")]
})

describe("POST /v1/templates", () => {
  it("201 creates a template with its first version, visible to every member", async () => {
    const { body, status } = await owner.call("POST", "/v1/templates", {
      name: "Reviewer",
      description: "For teams",
      content: reviewer
    })
    expect(status).toBe(201)
    expect(Schema.decodeUnknownSync(Templates.Template)(body.template)).toMatchObject({
      organizationId: owner.organizationId,
      name: "Reviewer",
      description: "For teams",
      createdByOrgMembershipId: owner.membershipId,
      latestVersion: { ordinal: 1, objectCount: 3, variableCount: 3 }
    })
    expect(body.version.content.variables[2]).toEqual({
      name: "contact",
      label: "Whom to ask",
      description: null,
      required: false,
      default: "the lead",
      format: "line",
      options: null
    })
    expect(body.version.content.objects[0].rawSourceText).toBe(reviewer.objects[0]?.rawSourceText)
    const member = await addMember(plane, owner, "member")
    const seen = await member.call("GET", `/v1/templates/${body.template.id}`)
    expect([seen.status, seen.body, seen.headers.get("etag")]).toEqual([200, body, '"1"'])
    const refused = await createTemplate(member, reviewer)
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
  })

  it("409 for the name of an existing template in any case, also for concurrent requests", async () => {
    const name = someTemplate()
    const responses = await Promise.all(
      [name, name.toUpperCase(), name].map((one) => createTemplate(owner, plain("text"), one))
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(responses.find(({ status }) => status === 409)?.body.error).toBe("template_exists")
    expect((await createTemplate(stranger, plain("text"), name)).status).toBe(201)
    const id = responses.find(({ status }) => status === 201)?.body.template.id
    expect((await owner.call("DELETE", `/v1/templates/${id}`)).status).toBe(204)
    expect((await createTemplate(owner, plain("text"), name)).status).toBe(201)
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    [
      "JSON too deep to be read",
      plain(`${"[".repeat(200_000)}"{{ x }}"${"]".repeat(200_000)}`, "mcp"),
      "objects.0.rawSourceText: has placeholders and is not valid JSON"
    ],
    [
      "front matter too deep to be read",
      plain(`---\na: ${"[".repeat(8_000)}{{ x }}${"]".repeat(8_000)}\n---\n`),
      "objects.0.rawSourceText: has front matter that has placeholders and is not valid YAML"
    ],
    [
      "an unknown variable",
      plain("{{ y }}"),
      "objects.0.rawSourceText: has a placeholder {{ y }}, which is not a variable of the template"
    ],
    [
      "braces that are no placeholder",
      plain("a\n{{ secrets.X }}"),
      'objects.0.rawSourceText: has "{{ secrets.X }}" on line 2, which is not a placeholder; write "{{{{" for a literal "{{"'
    ],
    ["one that does not end", plain("{{ x }"), 'objects.0.rawSourceText: has "{{ x }" on line 1'],
    [
      "one outside of a JSON string",
      plain('{"a": {{ x }}}', "mcp"),
      "objects.0.rawSourceText: has placeholders and is not valid JSON"
    ],
    [
      "one in the name of a JSON member",
      plain('{"{{ x }}": 1}', "mcp"),
      "objects.0.rawSourceText: has a placeholder in a member name"
    ],
    [
      "one in the name of a member of front matter",
      plain("---\n{{ x }}: 1\n---\n"),
      "objects.0.rawSourceText: has front matter that has a placeholder outside"
    ],
    [
      "one in a comment of front matter",
      plain("---\na: 1 # {{ x }}\n---\n"),
      "objects.0.rawSourceText: has front matter that has a placeholder outside"
    ],
    [
      "front matter that is no YAML",
      plain("---\na: 'b\nc: {{ x }}\n---\n"),
      "objects.0.rawSourceText: has front matter that has placeholders and is not valid YAML"
    ],
    [
      "a skill without a description",
      plain("---\nname: {{ x }}\n---\n", "skill"),
      'objects.0.rawSourceText: the front matter of a skill requires "description"'
    ],
    [
      "one in the name of a member of a payload",
      { ...plain("a"), objects: [{ type: "context", normalizedPayloadJson: { a: [{ "{{ x }}": 1 }] } }] },
      "objects.0.normalizedPayloadJson: has a placeholder in a member name"
    ],
    [
      "a name twice",
      { ...plain("a"), variables: [variable("x"), variable("x")] },
      "variables.1.name: is also the name of another variable"
    ],
    [
      "a default that does not match the format",
      { ...plain("a"), variables: [variable("x", { format: "slug", default: "A B" })] },
      "variables.0.default: must consist of lowercase"
    ],
    [
      "a default that is no option",
      { ...plain("a"), variables: [variable("x", { options: ["a"], default: "b" })] },
      "variables.0.default: must be one of a"
    ],
    [
      "an option that does not match the format",
      { ...plain("a"), variables: [variable("x", { format: "slug", options: ["A"] })] },
      'variables.0.options: has "A"'
    ],
    [
      "an invalid variable name",
      { ...plain("a"), variables: [variable("a-b")] },
      "variables.0.name: must start with a letter"
    ],
    [
      "an object without content",
      { ...plain("a"), objects: [{ type: "context" }] },
      "objects.0: must include rawSourceText"
    ],
    ["a plugin without a name", { ...plain("a"), plugin: {} }, "plugin.name"]
  ]
  it.each(refused)("400 for %s, and nothing is written", async (_, content, fault) => {
    const before = await rowCounts(plane)
    const response = await createTemplate(owner, content)
    expect([response.status, response.body.error]).toEqual([400, "invalid_request"])
    expect(
      faults(response.body).some((one) => one.startsWith(`body.content.${fault}`)),
      faults(response.body).join("\n")
    ).toBe(true)
    expect(await rowCounts(plane)).toEqual(before)
  })
})

describe("GET /v1/templates", () => {
  it("pages newest first, filtered by name, without other organizations' templates", async () => {
    const person = await makeWorkspace(plane)
    const ids: Array<string> = []
    for (const name of ["Red 1", "Blue", "Red 2"])
      ids.push((await createTemplate(person, plain("a"), name)).body.template.id)
    const first = await person.call("GET", "/v1/templates?limit=2")
    expect(first.body.items.map((one: { id: string }) => one.id)).toEqual([ids[2], ids[1]])
    const second = await person.call("GET", `/v1/templates?limit=2&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ items: [{ id: ids[0] }], nextCursor: null })
    const red = await person.call("GET", "/v1/templates?q=rED%20")
    expect(red.body.items.map((one: { name: string }) => one.name)).toEqual(["Red 2", "Red 1"])
  })

  it("404 with identical bytes for a missing, removed or foreign template", async () => {
    const foreign = await makeTemplate(stranger)
    const removed = await makeTemplate(owner)
    await owner.call("DELETE", `/v1/templates/${removed.id}`)
    const responses = await Promise.all(
      [missing, foreign.id, removed.id].map((id) => owner.call("GET", `/v1/templates/${id}`))
    )
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]?.body).toEqual({ error: "template_not_found", message: "No such template." })
  })
})

describe("PATCH and DELETE /v1/templates/{id}", () => {
  it("rename, describe, and reject stale versions and taken names", async () => {
    const { id } = await makeTemplate(owner)
    const name = someTemplate()
    const renamed = await owner.call("PATCH", `/v1/templates/${id}`, { name }, { "if-match": '"1"' })
    expect([renamed.status, renamed.body.template.name, renamed.headers.get("etag")]).toEqual([200, name, '"2"'])
    expect((await owner.call("PATCH", `/v1/templates/${id}`, { name: "x" }, { "if-match": '"1"' })).status).toBe(412)
    const other = await createTemplate(owner, plain("a"))
    const conflict = await owner.call("PATCH", `/v1/templates/${other.body.template.id}`, { name: name.toLowerCase() })
    expect([conflict.status, conflict.body.error]).toEqual([409, "template_exists"])
    expect((await owner.call("DELETE", `/v1/templates/${id}`, undefined, { "if-match": '"1"' })).status).toBe(412)
    expect((await owner.call("DELETE", `/v1/templates/${id}`)).status).toBe(204)
    expect((await owner.call("DELETE", `/v1/templates/${id}`)).status).toBe(404)
  })
})

describe("versions of a template", () => {
  it("are written, listed, compared and restored, and never change", async () => {
    const { id, versionId: first } = await makeTemplate(owner, plain("one {{ x }}\n"))
    const at = `/v1/templates/${id}/versions`
    const write = (text: string) => owner.call("POST", at, { content: plain(text) })
    const second = await write("two {{ x }}\n")
    expect([second.status, second.body.version.ordinal]).toEqual([201, 2])
    const same = await write("two {{ x }}\n")
    expect([same.status, same.body]).toEqual([200, second.body])
    expect((await owner.call("GET", `/v1/templates/${id}`)).headers.get("etag")).toBe('"2"')

    const diff = await owner.call("GET", `${at}/${second.body.version.id}/diff`)
    expect(diff.body.diff.textDiff).toBe(
      "--- version 1/objects/0\n+++ version 2/objects/0\n@@ -1,1 +1,1 @@\n-one {{ x }}\n+two {{ x }}\n"
    )
    const against = await owner.call("GET", `${at}/${first}/diff?against=${second.body.version.id}`)
    expect(against.body.diff).toMatchObject({ from: { ordinal: 2 }, to: { ordinal: 1 }, changes: [], truncated: false })
    const whole = await owner.call("GET", `${at}/${first}/diff`)
    expect([whole.body.diff.from, whole.body.diff.changes.length]).toEqual([null, 1])
    expect((await owner.call("GET", `${at}/${first}/diff?against=${missingVersion}`)).status).toBe(400)

    const restored = await owner.call("POST", `${at}/${first}/restore`)
    expect([restored.status, restored.body.version.ordinal]).toEqual([201, 3])
    expect(restored.body.version.content.objects[0].rawSourceText).toBe("one {{ x }}\n")
    expect((await owner.call("POST", `${at}/${first}/restore`)).status).toBe(200)
    const listed = await owner.call("GET", at)
    expect(listed.body.items.map((one: { ordinal: number }) => one.ordinal)).toEqual([3, 2, 1])
    expect(listed.body.items[0]).not.toHaveProperty("content")
    const old = await owner.call("GET", `${at}/${first}`)
    expect(old.body.version.content.objects[0].rawSourceText).toBe("one {{ x }}\n")
    expect(restored.body.version.content).toEqual(old.body.version.content)
    expect((await owner.call("GET", `${at}/${missingVersion}`)).body.error).toBe("template_version_not_found")
    const other = await makeTemplate(owner)
    expect((await owner.call("GET", `${at}/${other.versionId}`)).status).toBe(404)
  })

  it("are numbered one after another for concurrent writers", async () => {
    const { id } = await makeTemplate(owner, plain("0"))
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        owner.call("POST", `/v1/templates/${id}/versions`, { content: plain(`text ${index}`) })
      )
    )
    expect(responses.map(({ body }) => body.version.ordinal).toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    const { template } = (await owner.call("GET", `/v1/templates/${id}`)).body
    expect(template.latestVersion.ordinal).toBe(9)
  })
})

describe("POST /v1/templates/{id}/instantiate", () => {
  it("201 creates a private plugin with private objects from the values", async () => {
    const member = await addMember(plane, owner, "member")
    const { id, versionId } = await makeTemplate(owner)
    const { body, status } = await member.call("POST", `/v1/templates/${id}/instantiate`, { variables: values })
    expect(status).toBe(201)
    expect(body.template).toEqual({ id, versionId, ordinal: 1 })
    expect(body.plugin).toMatchObject({
      name: "Payments reviewer",
      description: "Reviews what Payments writes",
      memberCount: 3,
      createdByOrgMembershipId: member.membershipId
    })
    const [skill, mcp, context] = body.configObjects
    expect(skill).toMatchObject({
      title: "payments-review",
      description: "Reviews code of Payments",
      objectType: "skill",
      sourceMode: "cloud",
      currentRelativePath: "skills/payments-review/SKILL.md"
    })
    expect(skill.latestVersion.rawSourceText).toBe(
      "---\nname: payments-review\ndescription: Reviews code of Payments\n---\n\n# Review\n\nAsk the lead, not ${{ env }}.\n"
    )
    expect(mcp.latestVersion.normalizedPayloadJson.servers.board.url).toBe("https://payments-review.example/mcp")
    expect(context.latestVersion.normalizedPayloadJson).toEqual({ team: "Payments", list: ["the lead", 1, null] })
    // Its creator manages it, an admin can see it, another member cannot.
    expect((await member.call("GET", `/v1/config-objects/${skill.id}`)).body.item).toEqual(skill)
    expect((await member.call("GET", `/v1/plugins/${body.plugin.id}`)).body.item).toEqual(body.plugin)
    expect((await member.call("GET", `/v1/plugins/${body.plugin.id}/access`)).body.items).toMatchObject([
      { orgMembershipId: member.membershipId, role: "manager" }
    ])
    const other = await addMember(plane, owner, "member")
    expect((await other.call("GET", `/v1/plugins/${body.plugin.id}`)).status).toBe(404)
    expect((await other.call("GET", `/v1/config-objects/${skill.id}`)).status).toBe(404)
    expect((await other.call("GET", `/v1/templates/${id}/instances`)).body.items).toEqual([])
    const instances = [
      {
        plugin: { id: body.plugin.id, name: "Payments reviewer" },
        version: { id: versionId, ordinal: 1 },
        createdByOrgMembershipId: member.membershipId,
        createdAt: expect.any(String)
      }
    ]
    for (const person of [member, owner]) {
      expect((await person.call("GET", `/v1/templates/${id}/instances`)).body.items).toEqual(instances)
    }
    // One audit event covers all of it.
    const audit = await owner.call("GET", `/v1/audit-events?targetId=${id}&action=template.instantiate`)
    expect(audit.body.items).toMatchObject([
      {
        action: "template.instantiate",
        actorId: member.membershipId,
        after: { pluginId: body.plugin.id, versionId }
      }
    ])
  })

  it("uses the requested version and name, and keeps the result when the template is removed", async () => {
    const { id, versionId } = await makeTemplate(owner, plain("one {{ x }}"))
    await owner.call("POST", `/v1/templates/${id}/versions`, { content: plain("two {{ x }}") })
    const instantiation = await owner.call("POST", `/v1/templates/${id}/instantiate`, {
      versionId,
      name: "Another {{ x }}",
      variables: { x: "{{ y }}" }
    })
    // Neither a name nor a value is parsed as a template.
    expect([instantiation.status, instantiation.body.plugin.name]).toEqual([201, "Another {{ x }}"])
    const [object] = instantiation.body.configObjects
    expect(object.latestVersion.rawSourceText).toBe("one {{ y }}")
    expect((await owner.call("DELETE", `/v1/templates/${id}`)).status).toBe(204)
    await runSql(plane, (sql) => sql`UPDATE templates SET deleted_at = now() - interval '31 days' WHERE id = ${id}`)
    await runSql(plane, sweep)
    const left = await runSql(
      plane,
      (sql) => sql<{ n: number }>`SELECT (SELECT count(*) FROM templates WHERE id = ${id})::int
        + (SELECT count(*) FROM template_versions WHERE template_id = ${id})::int
        + (SELECT count(*) FROM template_instances WHERE template_id = ${id})::int AS n`
    )
    expect(left).toEqual([{ n: 0 }])
    expect((await owner.call("GET", `/v1/config-objects/${object.id}`)).body.item).toEqual(object)
    expect((await owner.call("GET", `/v1/plugins/${instantiation.body.plugin.id}`)).body.item).toEqual(
      instantiation.body.plugin
    )
  })

  it("requires permission to create plugins and config objects and to read templates", async () => {
    const { id } = await makeTemplate(owner)
    const all = ["plugins:write", "configObjects:write", "templates:read"] as const
    for (const lacking of all) {
      const rest = all.filter((one) => one !== lacking)
      const person = await addMember(plane, owner, await makeRole(owner, rest))
      for (const call of [person.call, (await makeKey(plane, owner, rest)).call]) {
        const response = await call("POST", `/v1/templates/${id}/instantiate`, { variables: values })
        expect([response.status, response.body.message]).toEqual([403, `This requires the permission ${lacking}.`])
      }
    }
    const key = await makeKey(plane, owner, all)
    const instantiation = await key.call("POST", `/v1/templates/${id}/instantiate`, { variables: values })
    expect([instantiation.status, instantiation.body.plugin.createdByOrgMembershipId]).toEqual([201, null])
  })

  it.each(["\n", "\r", "\u000b", "\u000c", "\u0085", "\u2028", "\u2029"])(
    "400 for a value of one line that contains the line break %j",
    async (lineBreak) => {
      const { id } = await makeTemplate(owner)
      const given = { ...values, contact: `two${lineBreak}lines` }
      const response = await owner.call("POST", `/v1/templates/${id}/instantiate`, { variables: given })
      expect([response.status, faults(response.body)]).toEqual([400, ["body.variables.contact: must be one line"]])
    }
  )

  it("400 listing all values that are missing, unknown or invalid", async () => {
    const { id } = await makeTemplate(owner)
    for (const verb of ["preview", "instantiate"]) {
      const before = await rowCounts(plane)
      const response = await owner.call("POST", `/v1/templates/${id}/${verb}`, {
        variables: { slug: "Not A Slug", contact: "two\nlines", color: "red" }
      })
      expect(response.status).toBe(400)
      expect(faults(response.body)).toEqual([
        "body.variables.team: is required",
        "body.variables.slug: must consist of lowercase letters and digits, separated by single hyphens",
        "body.variables.contact: must be one line",
        "body.variables.color: is not a variable of the template"
      ])
      for (const versionId of [missingVersion, (await makeTemplate(stranger)).versionId]) {
        const unknown = await owner.call("POST", `/v1/templates/${id}/${verb}`, { versionId, variables: values })
        expect([unknown.status, unknown.body.details[0].path]).toEqual([400, ["body", "versionId"]])
      }
      expect((await owner.call("POST", `/v1/templates/${missing}/${verb}`, { variables: values })).status).toBe(404)
      const after = await rowCounts(plane)
      expect({ plugins: after["plugins"], objects: after["config_objects"] }).toEqual({
        plugins: before["plugins"],
        objects: before["config_objects"]
      })
    }
  })

  it("400 if a value would break the rules of the result, and nothing is written", async () => {
    const skill = {
      plugin: { name: "P {{ x }}" },
      objects: [
        { type: "context", rawSourceText: "fine" },
        { type: "skill", rawSourceText: "---\nname: {{ x }}\ndescription: d\n---\n" }
      ],
      variables: [variable("x")]
    }
    const { id } = await makeTemplate(owner, skill)
    const before = await rowCounts(plane)
    const response = await owner.call("POST", `/v1/templates/${id}/instantiate`, { variables: { x: "Not a slug" } })
    expect([response.status, response.body.details[0].code]).toEqual([400, "invalid_skill_front_matter"])
    expect(faults(response.body)).toEqual([
      'body.variables: objects[1].rawSourceText the "name" of a skill must consist of lowercase letters and digits, separated by single hyphens'
    ])
    const long = await owner.call("POST", `/v1/templates/${id}/instantiate`, { variables: { x: "a".repeat(300) } })
    expect(faults(long.body)[0]).toBe(
      "body.variables: plugin.name would have more than 255 characters with these values"
    )
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("400 for a result that would be too large, before it is created", async () => {
    const many = {
      ...plain("{{x}}".repeat(2000)),
      objects: Array.from({ length: 10 }, () => ({ type: "context", rawSourceText: "{{x}}".repeat(2000) }))
    }
    const { id } = await makeTemplate(owner, many)
    const response = await owner.call("POST", `/v1/templates/${id}/preview`, { variables: { x: "y".repeat(8000) } })
    expect(response.status).toBe(400)
    expect(faults(response.body)[0]).toMatch(/becomes too long|more than 1048576 bytes/)
  })

  it("creates an empty plugin from a template without objects", async () => {
    const { id } = await makeTemplate(owner, { plugin: { name: "Empty" }, objects: [] })
    const instantiation = await owner.call("POST", `/v1/templates/${id}/instantiate`, {})
    expect([instantiation.status, instantiation.body.plugin.memberCount, instantiation.body.configObjects]).toEqual([
      201,
      0,
      []
    ])
  })

  it("runs once per idempotency key, and the preview writes nothing", async () => {
    const { id } = await makeTemplate(owner)
    const before = await rowCounts(plane)
    const preview = await owner.call("POST", `/v1/templates/${id}/preview`, { variables: values })
    expect([preview.status, preview.body.preview.configObjects.length]).toEqual([200, 3])
    expect(await rowCounts(plane)).toEqual(before)
    const ask = () =>
      owner.call("POST", `/v1/templates/${id}/instantiate`, { variables: values }, { "idempotency-key": "made-once" })
    const [one, two] = [await ask(), await ask()]
    expect([two.text, two.headers.get("idempotent-replayed")]).toEqual([one.text, "true"])
    expect((await owner.call("GET", `/v1/templates/${id}/instances`)).body.items).toHaveLength(1)
    for (const [index, object] of one.body.configObjects.entries()) {
      const previewed = preview.body.preview.configObjects[index]
      expect(previewed).toEqual({
        objectType: object.objectType,
        title: object.title,
        description: object.description,
        currentFileName: object.currentFileName,
        currentRelativePath: object.currentRelativePath,
        rawSourceText: object.latestVersion.rawSourceText,
        normalizedPayloadJson: object.latestVersion.normalizedPayloadJson
      })
    }
  })
})
