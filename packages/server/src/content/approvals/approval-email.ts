import type { Mail } from "../../infra/ports/mailer.ts"

/** A name that a user or a repository chose, on one line. */
const oneLine = (text: string) => text.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim()

/** The email that asks an approver to review a pending release. */
export const approvalEmail = (release: {
  readonly to: string
  readonly organizationName: string
  readonly pluginName: string
  readonly id: string
}): Mail => ({
  to: release.to,
  // A subject without names: other people can choose the names.
  subject: "A plugin release on orgplane is pending approval",
  text: [
    "Hello,",
    "",
    `A release of the plugin ${oneLine(release.pluginName)} in ${oneLine(release.organizationName)} is pending approval.`,
    "Until it is approved, members and agents do not receive it.",
    "",
    "To review it:",
    "",
    `  orgplane approvals get ${release.id}`,
    "",
    "To list all pending releases:",
    "",
    "  orgplane approvals list",
    "",
    "You may not get another email for releases that are held within the next 10 minutes.",
    ""
  ].join("\n")
})
