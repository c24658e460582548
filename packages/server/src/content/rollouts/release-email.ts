import type { Mail } from "../../infra/ports/mailer.ts"

/** A name that a user or a repository chose, on one line. */
const oneLine = (text: string) => text.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim()

/** The email about a release that skipped the rings. */
export const releaseEmail = (rollout: {
  readonly to: string
  readonly organizationName: string
  readonly pluginName: string
  readonly id: string
}): Mail => ({
  to: rollout.to,
  // A subject without names: other people can choose the names.
  subject: "A plugin release on orgplane skipped its rollout",
  text: [
    "Hello,",
    "",
    `A release of the plugin ${oneLine(rollout.pluginName)} in ${oneLine(rollout.organizationName)} skipped the remaining rings of its rollout.`,
    "All members receive it now.",
    "",
    "To see who released it and why:",
    "",
    `  orgplane rollouts get ${rollout.id}`,
    "",
    "To roll it back:",
    "",
    `  orgplane rollouts roll-back ${rollout.id} --comment "…"`,
    ""
  ].join("\n")
})
