import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rootCertificates } from "node:tls"
import { MailFailed, Mailer } from "../ports/mailer.ts"

export interface SmtpOptions {
  /** `smtp://user:password@host:587?from=orgplane%40acme.example`, or `smtps` for TLS from the first byte. */
  readonly url: string
  /** The sender when the URL has no `from`. */
  readonly from: string
  /** Additional CA certificates, in PEM format. */
  readonly ca?: string
}

const loopback = /^(localhost|127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\])$/i
const stepMillis = 10_000
const totalMillis = 30_000

export interface SmtpAddress {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly isLoopback: boolean
  readonly auth: { readonly user: string; readonly pass: string } | undefined
  readonly from: string | undefined
}

/** Parses the URL of a mail server; undefined when it is not valid. */
export const parseSmtpUrl = (text: string): SmtpAddress | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "") return undefined
  if (url.pathname !== "" && url.pathname !== "/") return undefined
  const from = url.searchParams.get("from") ?? undefined
  if (from !== undefined && !isAddress(from)) return undefined
  const secure = url.protocol === "smtps:"
  try {
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
      secure,
      isLoopback: loopback.test(url.hostname),
      auth:
        url.username === ""
          ? undefined
          : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
      from
    }
  } catch {
    return undefined
  }
}

/** Exactly one address: no character that could end a header or start another recipient. */
const isAddress = (text: string) => /^[^\s@,;:<>"()[\]\\\p{Cc}\p{Zl}\p{Zp}]+@[^\s@,;:<>"()[\]\\\p{Cc}]+$/u.test(text)
const isLine = (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

const isPermanent = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "permanent" in cause && cause.permanent === true

/**
 * The operator's mail server. TLS is required unless the host is loopback. Each step has a timeout of ten seconds, and
 * each email one of thirty.
 */
export const layerSmtp = (options: SmtpOptions) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const server = parseSmtpUrl(options.url)
      if (server === undefined) return yield* Effect.die(new Error("The SMTP URL must be smtp:// or smtps://."))
      const { auth, host, isLoopback, port, secure } = server
      // A dynamic import, so that a server without SMTP does not keep the client in memory.
      const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
      const transport = yield* Effect.acquireRelease(
        Effect.sync(() =>
          createTransport({
            host,
            port,
            secure,
            requireTLS: !secure && !isLoopback,
            ignoreTLS: !secure && isLoopback,
            ...(auth === undefined ? {} : { auth }),
            connectionTimeout: stepMillis,
            greetingTimeout: stepMillis,
            socketTimeout: stepMillis,
            dnsTimeout: stepMillis,
            tls: {
              minVersion: "TLSv1.2",
              ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] })
            },
            // The content is plain text, and must never be read from a path or a URL.
            disableFileAccess: true,
            disableUrlAccess: true
          })
        ),
        (transport) => Effect.sync(() => transport.close())
      )
      const from = server.from ?? options.from

      return {
        send: (mail) =>
          !isAddress(mail.to) || !isLine(mail.subject)
            ? Effect.fail(
                new MailFailed({
                  code: "invalid",
                  message: "The address or the subject contains characters that are not allowed."
                })
              )
            : Effect.tryPromise({
                try: () =>
                  transport.sendMail({
                    from: { name: "orgplane", address: from },
                    // As objects: a string would be parsed, and could contain several addresses.
                    to: { name: "", address: mail.to },
                    envelope: { from, to: [mail.to] },
                    subject: mail.subject,
                    text: mail.text,
                    headers: { "Auto-Submitted": "auto-generated" }
                  }),
                catch: (cause) =>
                  isPermanent(cause)
                    ? new MailFailed({ code: "refused", message: "The mail server rejected the email." })
                    : new MailFailed({ code: "unreachable", message: "The mail server did not accept the email." })
              }).pipe(
                Effect.timeoutOrElse({
                  duration: totalMillis,
                  orElse: () =>
                    Effect.fail(
                      new MailFailed({ code: "unreachable", message: "The mail server did not respond in time." })
                    )
                }),
                Effect.asVoid
              )
      }
    })
  )
