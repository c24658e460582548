/** The configuration source: files of a repository that are planned or applied when they change. */
import { beforeAll, describe, expect, it } from "vitest"
import { commit } from "../../../../test/fixtures/git.ts"
import { addMember, call, makeControlPlane, makeWorkspace, type Person, runSql, type TestPlane } from "../harness.ts"
import { ended, repositoryWith, runsOf, setSource, teams } from "./configuration-source.fixture.ts"
import { emailOf } from "./configuration.fixture.ts"
import { push, tell } from "../content/webhooks.fixture.ts"
import { until } from "../content/connectors.fixture.ts"

let plane: TestPlane

beforeAll(async () => {
  plane = await makeControlPlane()
})

const teamNames = async (person: Person) => {
  const names: Array<string> = []
  for await (const { name } of person.client.teams.list()) names.push(name)
  return names.toSorted()
}

const pushed = (dir: string, delivery?: string) => tell(plane, "push", push({ cloneUrl: `file://${dir}` }), delivery)

describe("a configuration source", () => {
  it("applies the files when it is set, and again after a push", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { dir, instance, owner, target } = configured
    const source = await setSource(configured)
    expect(source).toMatchObject({
      connectorInstanceId: instance.id,
      connectorTargetId: target.id,
      branch: "main",
      path: "orgplane.yaml",
      mode: "apply",
      isEnabled: true,
      appliedAsOrgMembershipId: owner.membershipId
    })
    expect(await ended(owner, 1)).toMatchObject({
      status: "applied",
      trigger: "source",
      summary: { create: 1, update: 0, delete: 0, move: 0, adopt: 0 },
      changes: [{ kind: "teams", key: "one", action: "create" }],
      problems: [],
      startedByOrgMembershipId: owner.membershipId
    })
    const revision = commit(dir, { "orgplane.yaml": teams("one", "two") })
    await pushed(dir)
    expect(await ended(owner, 2)).toMatchObject({
      status: "applied",
      trigger: "webhook",
      revision,
      startedByOrgMembershipId: null
    })
    expect(await teamNames(owner)).toEqual(["Team one", "Team two"])
    expect((await owner.client.configurationSource.get()).lastRevision).toBe(revision)
  })

  it("reads a commit once, and again if a member starts a run", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { dir, owner } = configured
    await setSource(configured)
    const first = await ended(owner, 1)
    await pushed(dir)
    await pushed(dir)
    const manual = await owner.client.configurationSource.run()
    const again = await ended(owner, 2)
    expect(again).toMatchObject({ id: manual.id, status: "unchanged", trigger: "manual", revision: first.revision })
    expect((await runsOf(owner)).map(({ trigger }) => trigger)).toEqual(["manual", "source"])
  })

  it("reports drift without changes in the mode plan", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    await setSource(configured, { mode: "plan" })
    expect(await ended(configured.owner, 1)).toMatchObject({ status: "planned", summary: { create: 1 } })
    expect(await teamNames(configured.owner)).toEqual([])
  })

  it("reads the files of a folder as one document, without other and hidden files", async () => {
    const configured = await repositoryWith(plane, {
      "org/a.yaml": teams("one"),
      "org/more/b.json": JSON.stringify({ version: 1, teams: [{ key: "two", name: "Team two" }] }),
      "org/.draft/c.yaml": "nonsense",
      "org/notes.md": "nonsense",
      "other.yaml": "nonsense"
    })
    await setSource(configured, { path: "org" })
    expect(await ended(configured.owner, 1)).toMatchObject({ status: "applied", summary: { create: 2 } })
  })

  it("names the file, the line and the path of each problem, and changes nothing", async () => {
    const configured = await repositoryWith(plane, {
      "org/a.yaml": teams("one"),
      "org/b.yaml": "teams:\n  - key: two\n    name: Team two\n    members:\n      - nobody@acme.example\n"
    })
    const { dir, owner } = configured
    await setSource(configured, { path: "org" })
    expect(await ended(owner, 1)).toMatchObject({
      status: "failed",
      problems: [
        {
          file: "org/b.yaml",
          line: 5,
          column: 9,
          path: ["teams", 1, "members", 0],
          message: "is not the email address of a member: nobody@acme.example"
        }
      ]
    })
    const problemOf = async (text: string, count: number) => {
      commit(dir, { "org/b.yaml": text })
      await pushed(dir)
      const { problems, status } = await ended(owner, count)
      expect(status).toBe("failed")
      return problems.map(({ file, line, message, path }) => [file, line, path, message])
    }
    expect((await problemOf("teams: [", 2))[0]).toEqual([
      "org/b.yaml",
      1,
      [],
      expect.stringContaining("is not valid YAML")
    ])
    expect(await problemOf("teams:\n  - key: two\n    color: red\n    name: Two\n", 3)).toEqual([
      ["org/b.yaml", 3, ["teams", 1, "color"], expect.stringContaining("is not")]
    ])
    expect(await problemOf("teams:\n  - key: one\n    name: Two\n", 4)).toEqual([
      ["org/b.yaml", 2, ["teams", 0, "key"], expect.stringContaining("like that of the object in org/a.yaml:3:5")]
    ])
    expect(await problemOf("organization:\n  name: ${env:HOME}\n", 5)).toEqual([
      [
        "org/b.yaml",
        2,
        ["organization", "name"],
        "refers to the environment variable HOME. Files that are read from a repository cannot use environment variables"
      ]
    ])
    expect(
      await problemOf(
        "llmProviders:\n  - key: a\n    name: A\n    providerId: openai\n    credentialMode: shared\n    apiKey: { fromEnvironment: KEY }\n",
        6
      )
    ).toEqual([
      ["org/b.yaml", 6, ["llmProviders", 0, "apiKey"], expect.stringContaining("a repository must not contain")]
    ])
    expect(await teamNames(owner)).toEqual([])
  })

  it("fails without a file at the path, and without the branch", async () => {
    const configured = await repositoryWith(plane, { "README.md": "none" })
    await setSource(configured)
    const { problems, status } = await ended(configured.owner, 1)
    expect([status, problems.map(({ message }) => message)]).toEqual([
      "failed",
      [expect.stringMatching(/^Commit [0-9a-f]{12} has no file 'orgplane\.yaml', and no folder/)]
    ])
  })

  it("has only the permissions that the member who set it has at each run", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { dir, instance, owner } = configured
    const admin = await addMember(plane, owner, "admin")
    await admin.client.configurationSource.set({ connectorInstanceId: instance.id, mode: "apply" })
    expect((await ended(owner, 1)).status).toBe("applied")
    const { id } = await owner.client.roles.create({
      name: "Reader",
      permissions: ["organizations:read", "teams:read", "members:read", "connectors:manage"]
    })
    await owner.client.members.update(admin.membershipId, { role: id })
    const revision = commit(dir, { "orgplane.yaml": teams("one", "two") })
    await pushed(dir)
    expect(await ended(owner, 2)).toMatchObject({
      status: "failed",
      revision,
      problems: [
        {
          message:
            "The member who set the configuration source does not have the permission organizations:write. Grant it, or set the source as another member."
        }
      ]
    })
    await owner.client.members.remove(admin.membershipId)
    await owner.client.configurationSource.run()
    expect((await ended(owner, 3)).problems[0]?.message).toContain("has left the organization")
    expect(await teamNames(owner)).toEqual(["Team one"])
  })

  it("applies only the branch for which it was set", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { dir, owner, target } = configured
    await setSource(configured)
    await ended(owner, 1)
    commit(dir, { "orgplane.yaml": teams("two") }, { branch: "other" })
    await owner.client.connectors.updateTarget(target.id, { branch: "other" })
    await owner.client.configurationSource.run()
    expect(await ended(owner, 2)).toMatchObject({
      status: "failed",
      problems: [{ message: expect.stringContaining("has changed since the configuration source was set") }]
    })
  })

  it("is set only by a member with the permission and the role manager, and only for an existing connector", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { instance, owner } = configured
    const member = await addMember(plane, owner, "member")
    const other = await makeWorkspace(plane)
    const body = { connectorInstanceId: instance.id }
    const put = async (person: Person, value: unknown) => {
      const response = await person.call("PUT", "/v1/configuration/source", value)
      const { details, error, reason } = response.body
      return [response.status, reason ?? error, details?.[0]?.message]
    }
    expect(await put(member, body)).toEqual([403, "permission_required", undefined])
    expect(await put(other, body)).toEqual([400, "invalid_request", "is not a connector instance that you can see"])
    expect(await put(owner, { ...body, path: "../secret" })).toEqual([
      400,
      "invalid_request",
      expect.stringContaining("must be a path in the repository")
    ])
    expect(await put(owner, { ...body, mode: "always" })).toEqual([
      400,
      "invalid_request",
      "must be one of: plan, apply"
    ])
    expect((await owner.call("GET", "/v1/configuration/source")).body.error).toBe("configuration_source_not_found")
    expect((await owner.call("POST", "/v1/configuration/source/run")).status).toBe(404)
    const key = await owner.client.apiKeys.create({
      name: "ci",
      permissions: ["organizations:read", "organizations:write", "connectors:manage", "connectors:read"]
    })
    const byKey = await call(plane)("PUT", "/v1/configuration/source", body, { "x-api-key": key.key })
    expect([byKey.status, byKey.body.reason]).toEqual([403, "session_required"])
    await setSource(configured)
    const run = await ended(owner, 1)
    const foreign = await other.call("GET", `/v1/configuration/runs/${run.id}`)
    const missing = await other.call("GET", "/v1/configuration/runs/cfr_01h455vb4pex5vsknk084sn02q")
    expect([foreign.status, foreign.body.error]).toEqual([404, "configuration_run_not_found"])
    expect(missing.text).toBe(foreign.text)
    expect((await other.call("GET", "/v1/configuration/source")).status).toBe(404)
  })

  it("continues a run whose process has exited", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { owner } = configured
    await setSource(configured)
    await ended(owner, 1)
    // As if a process had claimed a run, and had exited before it could apply anything.
    await runSql(
      plane,
      (sql) => sql`UPDATE configuration_runs SET status = 'running', ended_at = NULL, attempts = 1,
          lease_holder = 'another process', lease_until = now() - interval '1 second'
        WHERE organization_id = ${owner.organizationId}`
    )
    const manual = await owner.client.configurationSource.run()
    expect(await ended(owner, 2)).toMatchObject({ id: manual.id, status: "unchanged" })
    expect((await runsOf(owner)).map(({ status }) => status)).toEqual(["unchanged", "unchanged"])
    await runSql(
      plane,
      (sql) => sql`UPDATE configuration_runs SET status = 'running', ended_at = NULL, attempts = 6,
          lease_holder = 'another process', lease_until = now() - interval '1 second'
        WHERE organization_id = ${owner.organizationId} AND id = ${manual.id}`
    )
    await owner.client.configurationSource.run()
    await ended(owner, 3)
    expect((await owner.client.configurationRuns.get(manual.id)).problems).toMatchObject([
      { message: "The run was interrupted too many times. Start another run." }
    ])
  })

  it("is removed, disabled and replaced", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    const { dir, owner } = configured
    const first = await setSource(configured, { isEnabled: false })
    expect((await owner.call("POST", "/v1/configuration/source/run")).body.error).toBe("configuration_source_disabled")
    await pushed(dir)
    expect(await runsOf(owner)).toEqual([])
    const stale = await owner.call(
      "PUT",
      "/v1/configuration/source",
      { connectorInstanceId: configured.instance.id },
      {
        "if-match": `"${first.version + 1}"`
      }
    )
    expect(stale.status).toBe(412)
    await setSource(configured)
    expect((await ended(owner, 1)).status).toBe("applied")
    await owner.client.configurationSource.remove()
    expect((await owner.call("DELETE", "/v1/configuration/source")).status).toBe(404)
    const again = await setSource(configured)
    expect(again.version).toBeGreaterThan(first.version)
    expect((await ended(owner, 2)).status).toBe("unchanged")
  })
})

describe("a run that removes many objects", () => {
  const keys = ["a", "b", "c", "d", "e", "f", "g"]

  const held = async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams(...keys) })
    await setSource(configured)
    expect((await ended(configured.owner, 1)).status).toBe("applied")
    const revision = commit(configured.dir, { "orgplane.yaml": `${teams("a")}prune:\n  teams: true\n` })
    await pushed(configured.dir)
    const run = await ended(configured.owner, 2)
    expect(run).toMatchObject({ status: "held", revision, summary: { delete: 6 } })
    expect(await teamNames(configured.owner)).toHaveLength(7)
    return { ...configured, run, digest: run.planDigest ?? "" }
  }

  it("is held, and applied after the approval of its plan", async () => {
    const { digest, owner, run } = await held()
    const member = await addMember(plane, owner, "member")
    const path = `/v1/configuration/runs/${run.id}/approve`
    expect((await member.call("POST", path, { planDigest: digest })).status).toBe(403)
    const wrong = await owner.call("POST", path, { planDigest: "0".repeat(64) })
    expect([wrong.status, wrong.body.error]).toEqual([409, "plan_digest_mismatch"])
    expect((await owner.client.configurationRuns.approve(run.id, { planDigest: digest })).status).not.toBe("held")
    expect(await ended(owner, 2)).toMatchObject({
      id: run.id,
      status: "applied",
      decidedByOrgMembershipId: owner.membershipId
    })
    expect(await teamNames(owner)).toEqual(["Team a"])
    const repeated = await owner.call("POST", path, { planDigest: digest })
    expect([repeated.status, repeated.body.error]).toEqual([409, "configuration_run_not_held"])
  })

  it("is followed by a run of the commit that was pushed while the approved run was queued", async () => {
    const { digest, dir, owner, run } = await held()
    const revision = commit(dir, { "orgplane.yaml": teams("a", "h") })
    await owner.client.configurationRuns.approve(run.id, { planDigest: digest })
    expect(await ended(owner, 3)).toMatchObject({ status: "applied", trigger: "reconcile", revision })
    expect((await owner.client.configurationRuns.get(run.id)).status).toBe("applied")
    expect(await teamNames(owner)).toEqual(["Team a", "Team h"])
  })

  it("is not applied over a later commit that was applied after the approval", async () => {
    const { digest, dir, owner, run } = await held()
    const revision = commit(dir, { "orgplane.yaml": teams("a", "h") })
    // As if the run of the later commit had been in progress during the approval, and had ended since.
    await runSql(
      plane,
      (sql) => sql`UPDATE configuration_sources SET last_revision = ${revision}
        WHERE organization_id = ${owner.organizationId}`
    )
    await owner.client.configurationRuns.approve(run.id, { planDigest: digest })
    expect(await ended(owner, 2)).toMatchObject({ id: run.id, status: "superseded", revision: run.revision })
    expect(await teamNames(owner)).toHaveLength(7)
    expect((await owner.client.configurationSource.get()).lastRevision).toBe(revision)
  })

  it("is held again if its plan has changed since the approval", async () => {
    const { digest, owner, run } = await held()
    for await (const team of owner.client.teams.list()) {
      if (team.name === "Team a") await owner.client.teams.update(team.id, { name: "Renamed" })
    }
    await owner.client.configurationRuns.approve(run.id, { planDigest: digest })
    const again = await ended(owner, 2)
    expect([again.id, again.status]).toEqual([run.id, "held"])
    expect(again.planDigest).not.toBe(digest)
    expect(await teamNames(owner)).toHaveLength(7)
    await owner.client.configurationRuns.approve(run.id, { planDigest: again.planDigest ?? "" })
    expect((await ended(owner, 2)).status).toBe("applied")
  })

  it("is rejected, and replaced by the next commit", async () => {
    const { dir, owner, run } = await held()
    expect(await owner.client.configurationRuns.reject(run.id, { comment: "Not today." })).toMatchObject({
      status: "rejected",
      comment: "Not today.",
      decidedByOrgMembershipId: owner.membershipId
    })
    expect((await owner.call("POST", `/v1/configuration/runs/${run.id}/reject`, {})).status).toBe(409)
    await pushed(dir)
    commit(dir, { "orgplane.yaml": teams(...keys) })
    await pushed(dir)
    expect((await ended(owner, 3)).status).toBe("unchanged")
    expect(await teamNames(owner)).toHaveLength(7)
  })

  it("becomes superseded by a run of a later commit", async () => {
    const { dir, owner, run } = await held()
    commit(dir, { "orgplane.yaml": teams(...keys, "h") })
    await pushed(dir)
    expect((await ended(owner, 3)).status).toBe("applied")
    expect((await owner.client.configurationRuns.get(run.id)).status).toBe("superseded")
  })
})

describe("a run that removes parts of objects", () => {
  const held = async (document: (emails: ReadonlyArray<string>) => string) => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("x") })
    const { dir, owner } = configured
    const people = await Promise.all(Array.from({ length: 7 }, () => addMember(plane, owner, "member")))
    const emails = await Promise.all(people.map((person) => emailOf(plane, person)))
    commit(dir, { "orgplane.yaml": document(emails) })
    await setSource(configured)
    expect((await ended(owner, 1)).status).toBe("applied")
    commit(dir, { "orgplane.yaml": document(emails.slice(0, 1)) })
    await pushed(dir)
    expect(await ended(owner, 2)).toMatchObject({ status: "held", summary: { update: 1, delete: 0 } })
    return configured
  }

  it("is held if a team loses many members", async () => {
    const { dir, owner } = await held(
      (emails) => `version: 1\nteams: [{ key: a, name: A, members: ${JSON.stringify(emails)} }]\n`
    )
    commit(dir, { "orgplane.yaml": "version: 1\nteams: [{ key: a, name: B }]\n" })
    await pushed(dir)
    expect((await ended(owner, 3)).status).toBe("applied")
  })

  it("is held if many members lose a role", async () => {
    await held((emails) => `version: 1\nmemberRoles: { admin: ${JSON.stringify(emails)} }\n`)
  })

  it("is not held if members get another role", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("x") })
    const { dir, owner } = configured
    const people = await Promise.all(Array.from({ length: 7 }, () => addMember(plane, owner, "member")))
    const emails = await Promise.all(people.map((person) => emailOf(plane, person)))
    const roles = (key: string, other: string) =>
      `version: 1\nroles: [{ key: reader, name: Reader, permissions: ["teams:read"] }]\nmemberRoles: { ${key}: ${JSON.stringify(emails)}, ${other}: [] }\n`
    commit(dir, { "orgplane.yaml": roles("admin", "reader") })
    await setSource(configured)
    expect((await ended(owner, 1)).status).toBe("applied")
    commit(dir, { "orgplane.yaml": roles("reader", "admin") })
    await pushed(dir)
    expect((await ended(owner, 2)).status).toBe("applied")
  })

  it("is held if a connector loses many mappings", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("x") })
    const { dir, instance, owner } = configured
    await owner.client.configuration.adopt({ adoptions: [{ kind: "connectors", id: instance.id, key: "org" }] })
    const mapped = (count: number) => {
      const mappings = Array.from({ length: count }, (_, n) => ({ selector: `skills/${n}/**`, objectType: "skill" }))
      const entry = {
        key: "org",
        name: instance.name,
        remoteId: `file://${dir}`,
        branches: [{ branch: "main", mappings }]
      }
      return JSON.stringify({ version: 1, connectors: [{ ...entry, branch: "main" }] })
    }
    commit(dir, { "orgplane.yaml": mapped(7) })
    await setSource(configured)
    expect((await ended(owner, 1)).problems).toEqual([])
    commit(dir, { "orgplane.yaml": mapped(1) })
    await pushed(dir)
    expect(await ended(owner, 2)).toMatchObject({ status: "held", summary: { update: 1, delete: 0 } })
  })
})

describe("the events of runs", () => {
  it("are in the audit log", async () => {
    const configured = await repositoryWith(plane, { "orgplane.yaml": teams("one") })
    await setSource(configured)
    await ended(configured.owner, 1)
    const actions = await until(
      async () => {
        const types: Array<string> = []
        for await (const { action } of configured.owner.client.audit.list()) types.push(action)
        return types.filter((action) => action.startsWith("configuration."))
      },
      (types) => types.length >= 3
    )
    expect(actions.toSorted()).toEqual(["configuration.apply", "configuration.run.end", "configuration.source.set"])
    const [run] = await runSql(
      plane,
      (sql) => sql<{ actor_kind: string }>`SELECT actor_kind FROM audit_events
        WHERE organization_id = ${configured.owner.organizationId} AND action = 'configuration.apply'`
    )
    expect(run?.actor_kind).toBe("session")
  })
})
