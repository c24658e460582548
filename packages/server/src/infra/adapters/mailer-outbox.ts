import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { open } from "node:fs/promises"
import { type Mail, MailFailed, Mailer } from "../ports/mailer.ts"

const lineOf = (mail: Mail) =>
  `${JSON.stringify({ at: new Date().toISOString(), to: mail.to, subject: mail.subject, text: mail.text })}\n`

/** Readable by this user only: anyone who can read the emails can sign in as their recipients. */
const append = async (path: string, line: string): Promise<void> => {
  const file = await open(path, "a", 0o600)
  try {
    await file.chmod(0o600)
    await file.appendFile(line)
  } finally {
    await file.close()
  }
}

/** Appends emails to a file as lines of JSON, for one machine without a mail server. */
export const layerOutboxFile = (path: string) =>
  Layer.sync(Mailer, () => {
    const oneAtATime = Semaphore.makeUnsafe(1)
    return {
      send: (mail) =>
        Effect.tryPromise({
          try: () => append(path, lineOf(mail)),
          catch: () => new MailFailed({ code: "unreachable", message: "The outbox file cannot be written to." })
        }).pipe(oneAtATime.withPermits(1))
    }
  })

const keptMax = 100

/** Keeps the latest emails in memory, for a database in memory. */
export const layerOutboxMemory = Layer.sync(Mailer, () => {
  const mails: Array<Mail> = []
  return {
    send: (mail) =>
      Effect.sync(() => {
        mails.push(mail)
        if (mails.length > keptMax) mails.shift()
      })
  }
})
