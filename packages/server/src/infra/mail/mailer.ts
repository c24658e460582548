import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { layerOutboxFile, layerOutboxMemory } from "../adapters/mailer-outbox.ts"
import { layerSmtp } from "../adapters/mailer-smtp.ts"
import type { ControlPlaneOptions } from "../options.ts"
import { MailFailed, Mailer } from "../ports/mailer.ts"

const layerFunction = (send: Extract<NonNullable<ControlPlaneOptions["mailer"]>, { send: unknown }>["send"]) =>
  Layer.succeed(Mailer, {
    send: (mail) =>
      Effect.tryPromise({
        try: () => send(mail),
        catch: () => new MailFailed({ code: "unreachable", message: "The host application did not accept the email." })
      })
  })

const layerNone = Layer.succeed(Mailer, {
  send: () => Effect.fail(new MailFailed({ code: "not_configured", message: "Set ORGPLANE_SMTP_URL to send email." }))
})

/** The mailer of the options, or the default for the database. */
export const layerMailer = (options: ControlPlaneOptions): Layer.Layer<Mailer> => {
  const { database, mailer, outbound, ports } = options
  if (ports?.mailer !== undefined) return ports.mailer
  if (mailer !== undefined && "smtpUrl" in mailer) {
    const host = new URL(options.publicUrl ?? "http://localhost").hostname
    return layerSmtp({
      url: mailer.smtpUrl,
      from: `orgplane@${host}`,
      ...(outbound?.ca === undefined ? {} : { ca: outbound.ca })
    })
  }
  if (mailer !== undefined && "send" in mailer) return layerFunction(mailer.send)
  if (mailer !== undefined) return layerOutboxFile(mailer.outboxFile)
  if (database.kind === "postgres") return layerNone
  return database.dataDir === "memory" ? layerOutboxMemory : layerOutboxFile(join(database.dataDir, "outbox.ndjson"))
}
