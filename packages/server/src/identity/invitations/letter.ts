import type { Mail } from "../../infra/ports/mailer.ts"

/** A name that somebody chose, on one line. */
const oneLine = (text: string) => text.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim()

const day = (date: Date) => date.toISOString().slice(0, 10)

export const linkOf = (page: string, token: string) =>
  // In the fragment: browsers keep it from servers, logs and referrers.
  `${page}#token=${token}`

/** What an invited person gets. */
export const invitationLetter = (
  invitation: { readonly to: string; readonly organizationName: string; readonly expiresAt: Date },
  link: string
): Mail => ({
  to: invitation.to,
  // Without the name, which somebody chose: what strangers write does not stand at the head of a letter of ours.
  subject: "You are invited to an organization",
  text: [
    "Hello,",
    "",
    `you are invited to join "${oneLine(invitation.organizationName)}" on orgplane. To accept, open`,
    "",
    `  ${link}`,
    "",
    `and sign in with this address. The link is good until ${day(invitation.expiresAt)} and works once.`,
    "",
    "If you do not know who this is about you need not do anything.",
    ""
  ].join("\n")
})
