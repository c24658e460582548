/** How a plan shows what it means for people. */
import { expect, it } from "vitest"
import { configurationEffects } from "../src/output/configuration-effects.ts"

const change = (name: string, from: string | null, to: string | null) => ({
  orgMembershipId: "om_01",
  object: { kind: "plugin", id: null, name },
  from,
  to
})

it("counts the members whose access changes by object, and the changed desktop settings", () => {
  const effects = {
    access: {
      memberCount: 3,
      changeCount: 4,
      changes: [
        change("Reviewer", null, "viewer"),
        change("Reviewer", null, "editor"),
        change("Reviewer", "viewer", null),
        change("Writer\u001b[31m", "viewer", "editor")
      ],
      truncated: false
    },
    desktopPolicies: {
      memberCount: 1,
      settings: [
        { setting: "allowAlphaUpdates", memberCount: 1, turnedOn: 0, turnedOff: 1 },
        { setting: "onboardingPrompts", memberCount: 1, turnedOn: null, turnedOff: null }
      ]
    }
  }
  expect(configurationEffects({ effects })).toEqual([
    "Access of 3 members would change:",
    "  plugin Reviewer: 2 members would gain access, 1 member would lose access",
    "  plugin Writer\\u001b[31m: 1 member would get another role",
    "Desktop settings of 1 member would change:",
    "  allowAlphaUpdates: off for 1",
    "  onboardingPrompts: 1 member"
  ])
})

it("shows at most 20 objects, and that more changes exist", () => {
  const changes = Array.from({ length: 21 }, (_, index) => change(`Plugin ${index}`, null, "viewer"))
  const access = { memberCount: 1, changeCount: 21, changes, truncated: false }
  expect(configurationEffects({ effects: { access } }).at(-1)).toBe("  More changes are in the JSON output.")
  expect(configurationEffects({ effects: { access: { ...access, changes: changes.slice(1) } } })).toHaveLength(21)
  const truncated = { ...access, changes: changes.slice(0, 1), truncated: true }
  expect(configurationEffects({ effects: { access: truncated } })).toHaveLength(3)
})

it("shows which changes would be held for approval, with some of their capabilities", () => {
  const capabilities = Array.from({ length: 20 }, (_, index) => `New hook: runs \`${index}\u001b[0m\`.`)
  const held = [
    { plugin: { id: null, key: "a", name: "Reviewer" }, needsReview: true, capabilityCount: 30, capabilities }
  ]
  const lines = configurationEffects({ effects: { held } })
  expect([lines.length, lines[0], lines[1], lines[2], lines.at(-1)]).toEqual([
    8,
    "Would be held for approval:",
    "  plugin Reviewer",
    "    + New hook: runs `0\\u001b[0m`.",
    "    + 25 more in the JSON output"
  ])
  const many = Array.from({ length: 21 }, () => ({ ...held[0], capabilityCount: 0, capabilities: [] }))
  expect(configurationEffects({ effects: { held: many } }).at(-1)).toBe("  More plugins are in the JSON output.")
})

it("states why effects are missing, unless the plan has no changes", () => {
  const notComputed = { access: "timeout", desktopPolicies: "permission_required", held: "failed" }
  expect(configurationEffects({ changes: [], effects: { notComputed } })).toEqual([])
  expect(configurationEffects({ changes: [{}], effects: { notComputed } })).toEqual([
    "Changes of access are not shown: the comparison timed out.",
    "Changes of desktop settings are not shown: the permission desktopPolicies:read is required.",
    "Changes that would be held for approval are not shown: an internal error occurred. See the log of the server."
  ])
})

it("is empty without effects, and without the permission to read them", () => {
  expect(configurationEffects({ effects: null })).toEqual([])
  expect(configurationEffects({ effects: { access: null, desktopPolicies: null } })).toEqual([])
  const none = { memberCount: 0, changeCount: 0, changes: [], truncated: false }
  expect(configurationEffects({ effects: { access: none, desktopPolicies: { ...none, settings: [] } } })).toEqual([])
})
