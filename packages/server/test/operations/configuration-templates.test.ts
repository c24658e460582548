/** Configuration as code: templates. */
import { describe, expect, it } from "vitest"
import { skill } from "../content/connectors.fixture.ts"
import { makeControlPlane, makeKey, makeWorkspace, runSql } from "../harness.ts"
import { actions, applied, exported, planned, refusal } from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const content = {
  plugin: { name: "Reviews of {{ team }}" },
  objects: [
    {
      type: "skill",
      rawSourceText: skill("review", "Do it for {{ team }}."),
      metadata: { relativePath: "skills/review/SKILL.md" }
    }
  ],
  variables: [{ name: "team", label: "Team", required: true }]
}
const entry = { key: "reviews", name: "Reviews", description: "For teams", content }

describe("templates in a configuration document", () => {
  it("are created, get new versions, and are removed", async () => {
    const owner = await makeWorkspace(plane)
    const document = { templates: [entry] }
    const plan = await planned(owner, document)
    expect(actions(plan)).toEqual(["create templates reviews"])
    expect(plan.changes[0].fields[2]).toEqual({
      field: "content",
      before: null,
      after: { objects: 1, variables: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }
    })
    await applied(owner, document, plan.planDigest)
    const complete = await exported(owner)
    expect(complete.templates).toEqual([entry])
    expect(actions(await applied(owner, document))).toEqual([])
    const changed = { ...entry, name: "All reviews", content: { ...content, plugin: { name: "{{ team }}" } } }
    expect(actions(await applied(owner, { templates: [changed] }))).toEqual(["update templates reviews name content"])
    const [template] = (await owner.call("GET", "/v1/templates")).body.items
    expect([template.name, template.latestVersion.ordinal]).toEqual(["All reviews", 2])
    expect(actions(await applied(owner, { templates: [changed] }))).toEqual([])
    const twin = await makeWorkspace(plane)
    const again = await exported(owner)
    await applied(twin, again)
    expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(again))
    const emptied = { templates: [], prune: { templates: true } }
    expect(await refusal(owner, emptied)).toEqual([409, "plan_digest_required"])
    await applied(owner, emptied, (await planned(owner, emptied)).planDigest)
    expect((await owner.call("GET", "/v1/templates")).body.items).toEqual([])
  })

  it("report invalid content by its location, and require their own permissions", async () => {
    const owner = await makeWorkspace(plane)
    const at = (...place: ReadonlyArray<unknown>) => ["templates", 0, ...place]
    const withObject = (object: object) => ({ ...entry, content: { ...content, objects: [object] } })
    for (const [item, place] of [
      [{ key: "a", name: "A" }, at("content")],
      [{ ...entry, content: { ...content, variables: [] } }, at("content", "plugin", "name")],
      [withObject({ type: "skill", rawSourceText: "# No front matter" }), at("content", "objects", 0, "rawSourceText")],
      [withObject({ type: "skill" }), at("content", "objects", 0)],
      [withObject({ type: "skil", rawSourceText: "x" }), at("content", "objects", 0, "type")]
    ] as const) {
      expect((await refusal(owner, { templates: [item] })).slice(0, 3)).toEqual([400, "invalid_request", place])
    }
    const key = await makeKey(plane, owner, ["organizations:read", "organizations:write", "templates:read"])
    expect(await refusal(key, { templates: [entry] })).toEqual([403, "permission_required"])
    const stranger = await makeWorkspace(plane)
    await applied(owner, { templates: [entry] })
    expect((await exported(stranger, "templates")).templates).toEqual([])
  })

  it("are rejected as too large beyond 32 MiB, and other kinds are not", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, { templates: [entry] })
    await runSql(
      plane,
      (sql) => sql`UPDATE template_versions SET content_json = jsonb_set(content_json, '{objects,0,rawSourceText}',
          to_jsonb(repeat('x', 33 * 1048576)))
        WHERE organization_id = ${owner.organizationId}`
    )
    const response = await owner.call("GET", "/v1/configuration")
    expect([response.status, response.body.error]).toEqual([409, "configuration_too_large"])
    expect(await refusal(owner, { templates: [] })).toEqual([409, "configuration_too_large"])
    expect((await exported(owner, "teams,plugins")).plugins).toEqual([])
    // Keys do not need the content.
    await owner.call("POST", "/v1/templates", { ...entry, key: undefined, name: "Other" })
    const { body } = await owner.call("POST", "/v1/configuration/adopt", {})
    expect(body.adopted).toEqual([{ kind: "templates", id: expect.any(String), key: "other" }])
  })
})
