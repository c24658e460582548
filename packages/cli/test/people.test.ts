/** Members, roles, teams, keys and audit: the CLI against a real server, both as processes. */
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startPlane } from "./plane.ts"

let plane: Awaited<ReturnType<typeof startPlane>>
beforeAll(async () => {
  plane = await startPlane()
})
afterAll(() => plane.stop())

/** Waits for an email to the address and returns what the pattern captures. */
const mailed = async (to: string, pattern: RegExp): Promise<string> => {
  let match: string | undefined
  await expect
    .poll(
      () => {
        const email = plane.emails().findLast((candidate) => candidate.to === to && pattern.test(candidate.text))
        return (match = pattern.exec(email?.text ?? "")?.[1])
      },
      { timeout: 60_000 }
    )
    .toBeDefined()
  return match ?? ""
}

/** Signs a user in with the code from their email, passed on stdin. */
const signIn = async (person: string) => {
  const email = `${person}@acme.example`
  const { child, ended } = plane.start(person, ["login", "--email", email])
  child.stdin.write(`${await mailed(email, /code=([A-Z2-9]{8})/)}\n`)
  const ran = await ended
  expect(ran).toMatchObject({ code: 0, out: "" })
  return ran
}

/** Runs a command with `-o json` and parses the output. */
const json = async (person: string, ...args: ReadonlyArray<string>) => {
  const { code, err, out } = await plane.run(person, [...args, "-o", "json"])
  if (code !== 0) throw new Error(`orgplane ${args.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

it("distinguishes a missing credential from one that is not valid", async () => {
  const list = (env: Readonly<Record<string, string>>) => plane.run("nobody", ["plugins", "list"], "", env)
  expect(await list({})).toMatchObject({ code: 4, err: expect.stringContaining("Not signed in.") as string })
  const fault =
    "orgplane: The credential is not valid: it is unknown, has expired or was revoked. Run 'orgplane login'."
  for (const env of [{ ORGPLANE_TOKEN: "bogus" }, { ORGPLANE_API_KEY: `opk_${"0".repeat(49)}` }])
    expect(await list(env)).toMatchObject({ code: 4, err: expect.stringContaining(fault) as string })
})

it("invites members, assigns roles, teams and keys, and explains access", { timeout: 360_000 }, async () => {
  const first = await signIn("ada")
  expect(first.err).toContain("No organization is selected")
  expect(statSync(join(plane.home, "ada/orgplane/profiles.json")).mode & 0o777).toBe(0o600)
  const { organization } = await json("ada", "organizations", "create", "--name", "Acme")

  // One invitation runs the operation. Several print one result per invitation.
  const invited = await json("ada", "members", "invite", "bob@acme.example", "--role", "admin")
  expect(invited.invitation).toMatchObject({ email: "bob@acme.example", role: "admin", status: "pending" })
  writeFileSync(
    join(plane.home, "invitees.csv"),
    "email,role\ncarol@acme.example,\nnobody,member\ndan@acme.example,boss\n"
  )
  const several = await plane.run("ada", [
    "members",
    "invite",
    "--file",
    join(plane.home, "invitees.csv"),
    "-o",
    "json"
  ])
  expect(several).toMatchObject({ code: 1, err: "2 of 3 lines failed.\n" })
  expect(JSON.parse(several.out).results.map((row: { line: number; ok: boolean }) => [row.line, row.ok])).toEqual([
    [2, true],
    [3, false],
    [4, false]
  ])

  // The link from the email is accepted as the token.
  const accept = async (person: string) => {
    const link = await mailed(`${person}@acme.example`, /(\S+\/invitation#token=\S+)/)
    await signIn(person)
    const { code, err, out } = await plane.run(
      person,
      ["invitations", "accept", "--token", "-", "-o", "json"],
      `${link}\n`
    )
    expect([code, err]).toEqual([0, ""])
    const joined = JSON.parse(out)
    expect(joined.organization.id).toBe(organization.id)
    await json(person, "users", "set-active-organization", "--organization-id", organization.id)
    return joined.member.id as string
  }
  const bob = await accept("bob")
  const carol = await accept("carol")

  // A custom role, assigned and used.
  const { role } = await json("ada", "roles", "create", "--name", "Reader", "--permission", "plugins:read")
  expect((await json("ada", "members", "update", carol, "--role", role.id)).member.role).toBe(role.id)
  expect((await plane.run("carol", ["plugins", "create", "--name", "No"])).code).toBe(6)
  const table = await plane.run("carol", ["roles", "permissions"])
  expect(table.out).toMatch(/^plugins:read\towner, admin, member\t\S/m)

  // A team, a plugin shared with it, and carol's path to the plugin.
  const { team } = await json("bob", "teams", "create", "--name", "Readers\u001b[31m")
  await json("bob", "teams", "add-member", team.id, carol)
  const plugin = (await json("bob", "plugins", "create", "--name", "Reviewer")).item
  const before = await plane.run("ada", ["access", "explain", plugin.id, "--member", carol])
  expect(before.out).toMatch(
    /^x not allowed: needs viewer, has no access\n\nmissing: No grant on the plugin "Reviewer"/
  )
  const grant = (await json("bob", "plugins", "grant-access", plugin.id, "--team-id", team.id, "--role", "viewer")).item
  const after = await plane.run("ada", ["access", "explain", plugin.id, "--member", carol])
  expect(after.out).toBe(
    [
      "+ allowed: needs viewer, has viewer",
      "",
      "as viewer",
      `  member carol@acme.example ${carol}`,
      `  \`-> team Readers\\u001b[31m ${team.id}`,
      `     \`-> grant viewer ${grant.id}`,
      `        \`-> object Reviewer ${plugin.id}`,
      ""
    ].join("\n")
  )
  const impact = await plane.run("ada", ["access", "impact", grant.id])
  expect(impact.out).toBe(`${carol}\tviewer\t-\tplugin\tReviewer\n`)

  // A key with only the granted permissions.
  const result = await plane.run("ada", [
    "api-keys",
    "create",
    "--permission",
    "plugins:read",
    "--expires",
    "90d",
    "-o",
    "json"
  ])
  expect(result.err).toBe("")
  const { apiKey, key } = JSON.parse(result.out)
  expect(apiKey.permissions).toEqual(["plugins:read"])
  const days = (Date.parse(apiKey.expiresAt) - Date.parse(apiKey.createdAt)) / 86_400_000
  expect(Math.round(days)).toBe(90)
  const asKey = { ORGPLANE_API_KEY: key as string }
  expect((await plane.run("nobody", ["plugins", "list"], "", asKey)).code).toBe(0)
  expect((await plane.run("nobody", ["teams", "list"], "", asKey)).code).toBe(6)
  expect((await plane.run("nobody", ["api-keys", "create", "--permission", "plugins:read"], "", asKey)).code).toBe(6)

  // A batch of members: failed lines are reported, the others are applied.
  const lines = `{"action":"setRole","orgMembershipId":"${carol}","role":"member"}\n{"action":"remove","orgMembershipId":"om_1"}\n{"action":"remove","orgMembershipId":"${bob}"}\n`
  const batch = await plane.run("ada", ["members", "batch", "--file", "-", "-o", "ndjson"], lines)
  expect(batch.code).toBe(1)
  const results = batch.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(results.map(({ line, ok }) => [line, ok]).sort()).toEqual([
    [1, true],
    [2, false],
    [3, true]
  ])
  expect((await plane.run("bob", ["organizations", "get"])).code).toBe(3)
})

it("follows, exports and verifies the audit", { timeout: 240_000 }, async () => {
  const shown = await plane.run("ada", ["audit", "tail", "--limit", "3"])
  const rows = shown.out
    .trim()
    .split("\n")
    .map((line) => line.split("\t"))
  expect(rows).toHaveLength(3)
  const moments = rows.map(([moment = ""]) => moment)
  expect(moments.toSorted()).toEqual(moments)

  // Follows until it is interrupted, and prints no event twice.
  const { child, ended, texts } = plane.start("ada", ["audit", "tail", "--follow", "--limit", "2", "-o", "ndjson"])
  await expect.poll(() => texts.out.split("\n").length, { timeout: 60_000 }).toBeGreaterThan(2)
  const { team } = await json("ada", "teams", "create", "--name", "Watched")
  await expect.poll(() => texts.out, { timeout: 60_000 }).toContain(team.id)
  child.kill("SIGINT")
  const followed = await ended
  expect([followed.code, followed.err]).toEqual([130, ""])
  const ids = followed.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id as string)
  expect(new Set(ids).size).toBe(ids.length)

  const csv = await plane.run("ada", ["audit", "export", "--format", "csv"])
  const [head, ...events] = csv.out.trim().split("\n")
  expect([csv.code, head]).toEqual([0, expect.stringMatching(/^id,organizationId,sequence,action,/)])
  const verified = await json("ada", "audit", "verify")
  expect(verified.verification).toMatchObject({ valid: true, eventCount: events.length })
  // The export contains no user-provided text.
  expect(csv.out).not.toMatch(/acme\.example|Readers|Reviewer/)
  const some = await plane.run("ada", ["audit", "export", "--action", "api_key.create", "--since", "1d"])
  expect(
    some.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).action)
  ).toEqual(["api_key.create"])
})
