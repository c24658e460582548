import type { Mail } from "../../infra/ports/mailer.ts"
import { spelled } from "./code.ts"

/** What a person gets who wants to sign in. The link carries the code in its fragment, which reaches no server. */
export const codeLetter = (page: string, to: string, challengeId: string, code: string): Mail => ({
  to,
  subject: "Your sign-in code",
  text: [
    "Hello,",
    "",
    `your sign-in code is  ${spelled(code)}`,
    "",
    "It is good for ten minutes and works once. Type it where you asked for it, or open",
    "",
    `  ${page}#challenge=${challengeId}&code=${code}`,
    "",
    "If you did not ask for it you need not do anything: without the code nobody can sign in as you.",
    ""
  ].join("\n")
})
