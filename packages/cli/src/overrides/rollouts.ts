/** Overrides of the commands for rollouts. */
import { releaseOf, ringText, stateText } from "../output/rollouts.ts"
import { textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const rollout = {
  columns: ["id", "pluginName", "release", "status", "progress", "nextRingAt"],
  priority: ["id", "pluginName", "status", "progress"],
  computed: { release: releaseOf, status: stateText, progress: ringText }
} satisfies Override

const rolloutResponse = { draw: "rollout" } satisfies Override

export const rolloutOverrides: Readonly<Record<string, Override>> = {
  "rollouts.list": {
    ...rollout,
    examples: [
      { command: "orgplane rollouts list --state active", description: "List the active rollouts" },
      { command: "orgplane rollouts list --plugin-id plg_…", description: "List the rollouts of a plugin" }
    ]
  },
  "rollouts.get": {
    draw: "rollout",
    examples: [
      {
        command: "orgplane rollouts get rlo_…",
        description: "Show the rings of a rollout, and the comparisons that can pause it"
      }
    ]
  },
  "rollouts.create": {
    ...rolloutResponse,
    examples: [
      {
        command: "orgplane rollouts create --release-id rel_…",
        description: "Roll out a release again after a rollback"
      }
    ]
  },
  "rollouts.preview": {
    draw: "rolloutPreview",
    list: {
      member: "rings",
      columns: ["name", "memberCount", "receiveCount", "enabledCount", "deviceCount", "startsAt"]
    },
    listInPipes: true,
    examples: [
      {
        command: "orgplane rollouts preview --release-id rel_…",
        description: "Show the members that each ring would reach, and when"
      }
    ]
  },
  "rollouts.explain": {
    draw: "deliveryExplanation",
    text: (body) => textAt(body, "item.rule") ?? "",
    examples: [
      {
        command: "orgplane rollouts explain ada@acme.example plg_…",
        description: "Explain which release a member receives, and when the next one arrives"
      }
    ]
  },
  "rollouts.start": rolloutResponse,
  "rollouts.schedule": {
    ...rolloutResponse,
    flags: {
      startsAt: {
        time: "future",
        help: 'ISO 8601 time, or duration from now: 2h. To start as soon as no freeze applies, use --input with {"startsAt":null}'
      }
    },
    examples: [{ command: "orgplane rollouts schedule rlo_… --starts-at 12h", description: "Start in 12 hours" }]
  },
  "rollouts.promote": {
    ...rolloutResponse,
    examples: [
      { command: "orgplane rollouts promote rlo_… --ring Pilot", description: "Start the ring that follows Pilot" }
    ]
  },
  "rollouts.pause": rolloutResponse,
  "rollouts.resume": rolloutResponse,
  "rollouts.rollBack": {
    ...rolloutResponse,
    confirm: (ids) => `Roll back the rollout ${ids[0] ?? ""}? All members get the previous release.`,
    examples: [
      {
        command: "orgplane rollouts roll-back rlo_… --comment 'The hook fails.'",
        description: "Restore the previous release"
      }
    ]
  },
  "rollouts.release": {
    ...rolloutResponse,
    confirm: (ids) =>
      `Release the rollout ${ids[0] ?? ""} to all members now? This skips all rings and freezes. Owners and admins get an email.`,
    examples: [
      {
        command: "orgplane rollouts release rlo_… --comment 'Fixes a vulnerability.'",
        description: "Release to all members in an emergency"
      }
    ]
  },
  "rollouts.withdraw": {
    draw: "withdrawal",
    subject: "item.pluginId",
    text: (body) => textAt(body, "item.servedReleaseId") ?? "",
    confirm: () => "Withdraw the release? It is removed from all members at once, even if an assignment pins it.",
    examples: [
      {
        command: "orgplane rollouts withdraw --plugin-id plg_… --digest 5d2f… --comment 'Leaks a token.'",
        description: "Remove a release from all members at once"
      }
    ]
  }
}
