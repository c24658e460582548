import type { Mail } from "../../infra/ports/mailer.ts"
import { formatCode } from "./code.ts"

/** The sign-in email. The link has the code in its fragment, which is not sent to servers. */
export const signInEmail = (page: string, to: string, challengeId: string, code: string): Mail => ({
  to,
  subject: "Your sign-in code",
  text: [
    "Hello,",
    "",
    `Your sign-in code is  ${formatCode(code)}`,
    "",
    "The code expires in ten minutes and can be used once. Enter it where you requested it, or open this link:",
    "",
    `  ${page}#challenge=${challengeId}&code=${code}`,
    "",
    "If you did not request a code, you can ignore this email. No one can sign in as you without the code.",
    ""
  ].join("\n")
})
