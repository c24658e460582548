import type { Mail } from "../../infra/ports/mailer.ts"

/** A name that a user chose, on one line. */
const oneLine = (text: string) => text.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim()

const day = (date: Date) => date.toISOString().slice(0, 10)

export const linkOf = (page: string, token: string) =>
  // Browsers do not send the fragment, so the token does not reach server logs or Referer headers.
  `${page}#token=${token}`

/** The invitation email. */
export const invitationEmail = (
  invitation: { readonly to: string; readonly organizationName: string; readonly expiresAt: Date },
  link: string
): Mail => ({
  to: invitation.to,
  // Without the organization's name, which a stranger may have chosen: it must not appear in the subject of the email.
  subject: "You've been invited to an organization on orgplane",
  text: [
    "Hello,",
    "",
    `You've been invited to join ${oneLine(invitation.organizationName)} on orgplane. Accept the invitation:`,
    "",
    `  ${link}`,
    "",
    `Sign in with this email address. The link expires on ${day(invitation.expiresAt)} and can be used once.`,
    "",
    "If you did not expect this invitation, you can ignore this email.",
    ""
  ].join("\n")
})
