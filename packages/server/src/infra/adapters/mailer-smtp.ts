import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rootCertificates } from "node:tls"
import { MailFailed, Mailer } from "../ports/mailer.ts"
import { codeOf } from "../sql/failure-code.ts"

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

const openTransport = ({ auth, host, isLoopback, port, secure }: SmtpAddress, ca: string | undefined) =>
  Effect.gen(function* () {
    // A dynamic import, so that a server without SMTP does not keep the client in memory.
    const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
    return yield* Effect.acquireRelease(
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
            ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] })
          },
          // The content is plain text, and must never be read from a path or a URL.
          disableFileAccess: true,
          disableUrlAccess: true
        })
      ),
      (transport) => Effect.sync(() => transport.close())
    )
  })

/** The mail server cannot be used, with the code of the library, such as `EAUTH`, or of the system. */
export class SmtpUnusable extends Data.TaggedError("SmtpUnusable")<{ readonly code: string }> {}

/** The library reports the system's error only in its message, such as `connect ECONNREFUSED 127.0.0.1:25`. */
const smtpCodeOf = (cause: unknown): string => {
  const code = codeOf(cause) ?? "unknown error"
  const message = cause instanceof Error ? cause.message : ""
  return code === "ESOCKET" || code === "ECONNECTION" ? (/\b(E[A-Z]{4,})\b/.exec(message)?.[1] ?? code) : code
}

/** Connects to a mail server and signs in, without sending an email. */
export const verifySmtp = (server: SmtpAddress, ca: string | undefined): Effect.Effect<void, SmtpUnusable> =>
  Effect.flatMap(openTransport(server, ca), (transport) =>
    Effect.tryPromise({
      try: () => transport.verify(),
      catch: (cause) => new SmtpUnusable({ code: smtpCodeOf(cause) })
    })
  ).pipe(
    Effect.timeoutOrElse({
      duration: stepMillis,
      orElse: () => Effect.fail(new SmtpUnusable({ code: "ETIMEDOUT" }))
    }),
    Effect.asVoid,
    Effect.scoped
  )

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
      const transport = yield* openTransport(server, options.ca)
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
