/** Desktop policies: the CLI as a process against a real server, and its terminal output. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ran, serve, spawned } from "./harness.ts"
import { startWorkspace } from "./plane.ts"

let plane: Awaited<ReturnType<typeof startWorkspace>>
let membershipId = ""

const orgplane = (argv: ReadonlyArray<string>, stdin = "") =>
  spawned(argv, { url: plane.origin, token: plane.token, stdin })

const json = async (argv: ReadonlyArray<string>, stdin = "") => {
  const { code, err, out } = await orgplane([...argv, "-o", "json"], stdin)
  if (code !== 0) throw new Error(`orgplane ${argv.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

/** The cells of each line, independent of column widths. */
const wordsOf = (text: string) => text.split("\n").map((line) => line.trim().replace(/\s{2,}/g, " | "))

beforeAll(async () => {
  plane = await startWorkspace()
  membershipId = (await json(["users", "organizations"])).items[0].orgMembershipId
}, 120_000)
afterAll(() => plane.close())

describe("orgplane desktop-policies", () => {
  it("creates, lists, gets, updates, simulates, explains and removes policies", { timeout: 240_000 }, async () => {
    const create = ["desktop-policies", "create", "--policy-name"]
    const first = await json([
      ...create,
      "No alphas",
      "--no-allow-alpha-updates",
      "--show-welcome-page",
      "--onboarding-prompt",
      "What changed?"
    ])
    expect(first.desktopPolicy).toMatchObject({
      policyName: "No alphas",
      priority: 0,
      audience: "organization",
      policy: { allowAlphaUpdates: false, showWelcomePage: true, onboardingPrompts: ["What changed?"] }
    })
    const one = await orgplane([
      ...create,
      "Testers",
      "--allow-alpha-updates",
      "--priority",
      "5",
      "--member-id",
      membershipId,
      "-q"
    ])
    expect([one.code, one.out]).toEqual([0, expect.stringMatching(/^dpo_\w{26}\n$/)])
    const id = one.out.trim()
    const refused = await orgplane([...create, "TESTERS"])
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining("desktop_policy_exists")])

    const listed = await orgplane(["desktop-policies", "list", "-o", "table"])
    expect(wordsOf(listed.out).slice(0, 2)).toEqual([
      "ID | POLICY NAME | PRIORITY | IS ENABLED | AUDIENCE | UPDATED AT",
      expect.stringMatching(/^dpo_\w+ \| Testers \| 5 \| true \| assigned \| /)
    ])
    expect((await json(["desktop-policies", "get", id])).desktopPolicy.memberIds).toEqual([membershipId])

    const explained = await orgplane(["desktop-policies", "explain", membershipId, "-o", "table"])
    expect(explained.code).toBe(0)
    const words = wordsOf(explained.out)
    expect(words).toContain("SETTING | VALUE | WINNER | RULE")
    expect(words).toContain("allowAlphaUpdates | on | Testers (priority 5, member) | higher priority")
    expect(words).toContain("allowPartnerModel | on | - | not set by any policy")
    expect(words).toContain("showWelcomePage | on | No alphas (priority 0, organization) | only policy")
    expect(words).toContain('onboardingPrompts | "What changed?" | No alphas (priority 0, organization) | only policy')
    expect(words.slice(words.indexOf("SETTING | OVERRIDDEN | VALUE | REASON"))).toEqual([
      "SETTING | OVERRIDDEN | VALUE | REASON",
      "allowAlphaUpdates | No alphas (priority 0, organization) | off | lower priority",
      ""
    ])
    const body = await json(["desktop-policies", "explain", membershipId])
    expect(body).toEqual(await json(["users", "desktop-policy", "--explain"]))
    expect(body.explanation).toHaveLength(9)
    const plain = await orgplane(["users", "desktop-policy"])
    expect(plain.out.split("\n")).toContain("allowAlphaUpdates\ton")
    const piped = await orgplane(["desktop-policies", "explain", membershipId])
    expect(piped.out.split("\n")).toContain(`allowAlphaUpdates\ton\t${id}\tpriority`)

    const change = JSON.stringify({ delete: { desktopPolicyId: id } })
    const simulate = ["desktop-policies", "simulate", "--input", "-"]
    const simulated = await orgplane([...simulate, "-o", "table"], change)
    expect(wordsOf(simulated.out)).toEqual([
      "1 setting would change for 1 member. This is a simulation.",
      "",
      "SETTING | MEMBERS | TURNED ON | TURNED OFF",
      "allowAlphaUpdates | 1 | 0 | 1",
      "",
      "MEMBER | SETTING | BEFORE | AFTER",
      `${membershipId} | allowAlphaUpdates | on by Testers (priority 5, member) | off by No alphas (priority 0, organization)`,
      ""
    ])
    expect((await json(simulate, change)).simulation).toMatchObject({ changeCount: 1, truncated: false })
    expect((await orgplane([...simulate, "-q"], change)).out).toBe("1\n")
    expect((await orgplane(simulate, change)).out).toBe(
      `${membershipId}\tallowAlphaUpdates\ton\toff\t${id}\t${first.desktopPolicy.id}\n`
    )
    const nothing = JSON.stringify({ reorder: [{ desktopPolicyId: id, priority: 6 }] })
    expect((await orgplane([...simulate, "-o", "table"], nothing)).out).toBe("No member's settings would change.\n")
    const bad = await orgplane(simulate, "{}")
    expect([bad.code, bad.err]).toEqual([1, expect.stringContaining("exactly one of: create, patch, delete, reorder")])

    const updated = await json(["desktop-policies", "update", id, "--input", "-"], JSON.stringify({ memberIds: [] }))
    expect(updated.desktopPolicy).toMatchObject({ audience: "organization", priority: 5 })
    const updateResult = await json(["desktop-policies", "update", id, "--priority", "9"])
    expect(updateResult.desktopPolicy).toMatchObject({ priority: 9, policy: { allowAlphaUpdates: true } })
    expect((await orgplane(["desktop-policies", "remove", id, "--yes"])).code).toBe(0)
    expect((await orgplane(["desktop-policies", "get", id])).code).toBe(3)
  })
})

describe("desktop policies on a terminal", () => {
  const nasty = "\u001b[2J\u202eowned"
  // oxlint-disable-next-line no-control-regex -- characters that must be escaped
  const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/
  const source = { id: null, policyName: nasty, priority: 1, through: "team", createdAt: null }

  it("prints the number of other losing policies, uses the ID without a name, and escapes names", async () => {
    const explanation = [
      {
        setting: "showWelcomePage",
        value: false,
        rule: "specificity",
        winner: { ...source, id: "dpo_1", policyName: null },
        losers: [{ ...source, value: true, lostBy: "specificity" }],
        loserCount: 12
      }
    ]
    const { url } = await serve({
      "GET /v1/me/desktop-policy": { body: { desktopPolicy: { showWelcomePage: false }, explanation } }
    })
    const { code, out } = await ran(["users", "desktop-policy", "--explain"], { url, columns: 120 })
    expect(code).toBe(0)
    // oxlint-disable-next-line no-control-regex -- colors are intended
    const bare = out.replace(/\u001b\[\d*m/g, "")
    expect(bare).not.toMatch(harmful)
    const words = wordsOf(bare)
    expect(words).toContain("showWelcomePage | off | dpo_1 (priority 1, team) | more specific assignment")
    expect(words).toContain("11 more policies for showWelcomePage were overridden.")
  })

  it("reports how many changes of a large simulation it prints", async () => {
    const side = (value: boolean) => ({ value, winner: null })
    const simulation = {
      memberCount: 4501,
      changeCount: 4501,
      settings: [{ setting: "onboardingPrompts", memberCount: 4501, turnedOn: null, turnedOff: null }],
      changes: [{ orgMembershipId: "om_1", setting: "showWelcomePage", before: side(true), after: side(false) }],
      truncated: true
    }
    const { seen, url } = await serve({ "POST /v1/desktop-policies/simulate": { body: { simulation } } })
    const request = { delete: { desktopPolicyId: "dpo_1" } }
    const { out } = await ran(["desktop-policies", "simulate", "--input", "-", "-o", "table"], {
      url,
      stdin: JSON.stringify(request)
    })
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual(request)
    expect(wordsOf(out)).toContain("Showing the first 1 of 4501 changes.")
    expect(wordsOf(out)).toContain("om_1 | showWelcomePage | on | off")
  })
})
