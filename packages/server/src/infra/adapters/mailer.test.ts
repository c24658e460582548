import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { afterEach, describe, expect, it } from "vitest"
import { Misconfigured, readEnvironment } from "../config/environment.ts"
import { type Mail, Mailer, type MailFailed } from "../ports/mailer.ts"
import { layerOutboxFile } from "./mailer-outbox.ts"
import { layerSmtp, parseSmtpUrl } from "./mailer-smtp.ts"

const pem = (name: string) => readFileSync(new URL(`../outbound/fixtures/${name}.pem`, import.meta.url), "utf8")
const endings: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

const listening = (server: Server | SMTPServer, host: string) =>
  new Promise<number>((resolve) => {
    const listener = server.listen(0, host, () => resolve((listener.address() as AddressInfo).port))
    endings.push(() => new Promise((done) => server.close(() => done())))
  })

interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly isEncrypted: boolean
  readonly text: string
}

/** A mail server that accepts everything and records it. */
const mailServer = async (options: SMTPServerOptions = {}, host = "127.0.0.1") => {
  const received: Array<Received> = []
  const server = new SMTPServer({
    key: pem("server-key"),
    cert: pem("server"),
    logger: false,
    authOptional: true,
    onData: (stream, session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map((recipient) => recipient.address),
          isEncrypted: session.secure,
          text: Buffer.concat(chunks).toString()
        })
        callback()
      })
    },
    ...options
  })
  // A client that disconnects is what is tested here, not a failure.
  server.on("error", () => {})
  return { received, port: await listening(server, host) }
}

const send = (layer: Layer.Layer<Mailer>, mail: Partial<Mail> = {}) =>
  Effect.runPromise(
    Effect.flatMap(Mailer, (mailer) =>
      mailer.send({ to: "ada@example.com", subject: "Your code", text: "Hello,\nhere it is: ABCD-2345\n", ...mail })
    ).pipe(Effect.provide(layer), Effect.result)
  )

const smtp = (url: string, ca?: string) =>
  layerSmtp({ url, from: "orgplane@example.com", ...(ca === undefined ? {} : { ca }) })

const failure = async (layer: Layer.Layer<Mailer>, mail?: Partial<Mail>): Promise<MailFailed> => {
  const result = await send(layer, mail)
  if (result._tag === "Success") throw new Error("The email was accepted.")
  return result.failure
}

describe("the SMTP mailer", () => {
  it("sends a plain-text email to a loopback server, from the sender in the URL", async () => {
    const { port, received } = await mailServer({ disabledCommands: ["STARTTLS"] })
    await send(smtp(`smtp://127.0.0.1:${port}?from=people%40acme.example`))
    await send(smtp(`smtp://localhost:${port}`))
    expect(received).toMatchObject([
      { from: "people@acme.example", to: ["ada@example.com"] },
      { from: "orgplane@example.com", to: ["ada@example.com"] }
    ])
    expect(received[0]?.text).toMatch(/^content-type: text\/plain/im)
    expect(received[0]?.text).toMatch(/^auto-submitted: auto-generated/im)
    expect(received[0]?.text).toContain("ABCD-2345")
  })

  it("authenticates with the user name and password in the URL", async () => {
    const tried: Array<string> = []
    const { port, received } = await mailServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      authOptional: false,
      onAuth: (auth, _session, callback) => {
        tried.push(`${auth.username}:${auth.password}`)
        callback(null, { user: auth.username ?? "" })
      }
    })
    await send(smtp(`smtp://me%40acme:p%3Aw@127.0.0.1:${port}`))
    expect(tried).toEqual(["me@acme:p:w"])
    expect(received).toHaveLength(1)
  })

  it("trusts a server with the configured certificate authority, with TLS from the start", async () => {
    const { port, received } = await mailServer({ secure: true })
    await send(smtp(`smtps://localhost:${port}`, pem("authority")))
    expect(received).toMatchObject([{ to: ["ada@example.com"], isEncrypted: true }])
  })

  // 0.0.0.0 reaches this machine under an address that is not loopback.
  it("sends nothing without TLS to a server that is not loopback", async () => {
    const { port, received } = await mailServer({ disabledCommands: ["STARTTLS"] }, "0.0.0.0")
    expect((await failure(smtp(`smtp://0.0.0.0:${port}`))).code).toBe("refused")
    expect(received).toEqual([])
  })

  it("sends nothing to a server with an untrusted certificate", async () => {
    const plain = await mailServer({}, "0.0.0.0")
    expect((await failure(smtp(`smtp://0.0.0.0:${plain.port}`))).code).toBe("unreachable")
    const secure = await mailServer({ secure: true })
    expect((await failure(smtp(`smtps://127.0.0.1:${secure.port}`))).code).toBe("unreachable")
    expect([...plain.received, ...secure.received]).toEqual([])
  })

  it("rejects line breaks and additional recipients", async () => {
    const { port, received } = await mailServer({ disabledCommands: ["STARTTLS"] })
    const layer = smtp(`smtp://127.0.0.1:${port}`)
    const bad: ReadonlyArray<Partial<Mail>> = [
      { to: "ada@example.com\r\nBcc: eve@example.com" },
      { to: "ada@example.com,eve@example.com" },
      { to: "ada@example.com\u2028" },
      { to: "Ada <ada@example.com>" },
      { to: "" },
      { subject: "Hello\r\nBcc: eve@example.com" },
      { subject: "Hello\n\nbody" },
      { subject: "Hello\u0000" }
    ]
    for (const mail of bad) expect((await failure(layer, mail)).code).toBe("invalid")
    expect(received).toEqual([])
    await send(layer, { text: "first\r\n.\r\nMAIL FROM:<eve@example.com>\r\nBcc: eve@example.com\r\n" })
    expect(received.map((mail) => mail.to)).toEqual([["ada@example.com"]])
    const [head = ""] = (received[0]?.text ?? "").split("\r\n\r\n")
    expect(head.toLowerCase()).not.toContain("bcc")
  })

  it("distinguishes a rejection from an outage, and reveals the address in neither", async () => {
    const refusing = await mailServer({
      disabledCommands: ["STARTTLS"],
      onRcptTo: (_address, _session, callback) =>
        callback(Object.assign(new Error("ada@example.com is unknown"), { responseCode: 550 }))
    })
    const busy = await mailServer({
      disabledCommands: ["STARTTLS"],
      onRcptTo: (_address, _session, callback) =>
        callback(Object.assign(new Error("ada@example.com later"), { responseCode: 451 }))
    })
    const refused = await failure(smtp(`smtp://127.0.0.1:${refusing.port}`))
    const later = await failure(smtp(`smtp://127.0.0.1:${busy.port}`))
    const away = await failure(smtp("smtp://127.0.0.1:1"))
    expect([refused.code, later.code, away.code]).toEqual(["refused", "unreachable", "unreachable"])
    expect(JSON.stringify([refused, later, away])).not.toContain("ada@")
  })

  it("times out when the server does not respond", async () => {
    const silent = createServer(() => {})
    const port = await listening(silent, "127.0.0.1")
    const began = Date.now()
    const result = await failure(smtp(`smtp://127.0.0.1:${port}`))
    expect(result.code).toBe("unreachable")
    expect(Date.now() - began).toBeLessThan(31_000)
  })
})

describe("the SMTP URL", () => {
  it("is smtp or smtps with a host and an optional single sender address", () => {
    expect(parseSmtpUrl("smtp://mail.example")).toMatchObject({ port: 587, secure: false, auth: undefined })
    expect(parseSmtpUrl("smtps://mail.example")).toMatchObject({ port: 465, secure: true })
    for (const bad of [
      "mail.example",
      "http://mail.example",
      "smtp://",
      "smtp://mail.example/path",
      "smtp://mail.example?from=a%40b.c%0d%0abcc:x",
      "smtp://%zz:x@mail.example"
    ]) {
      expect(parseSmtpUrl(bad), bad).toBeUndefined()
    }
  })

  it("is rejected with a message that does not contain it", () => {
    const read = () => readEnvironment({ ORGPLANE_SMTP_URL: "ftp://user:hunter2@mail.example" })
    expect(read).toThrow(Misconfigured)
    expect(read).toThrow(/^ORGPLANE_SMTP_URL must be/)
    expect(readEnvironment({ ORGPLANE_SMTP_URL: "smtp://mail.example" }).options.mailer).toEqual({
      smtpUrl: "smtp://mail.example"
    })
  })
})

describe("the outbox file", () => {
  it("gets one line of JSON per email, also for concurrent emails, and is readable by its owner only", async () => {
    const directory = await mkdtemp(join(tmpdir(), "orgplane-outbox-"))
    endings.push(() => rm(directory, { recursive: true, force: true }))
    const path = join(directory, "outbox.ndjson")
    await Effect.runPromise(
      Effect.flatMap(Mailer, (mailer) =>
        Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index),
          (index) => mailer.send({ to: "ada@example.com", subject: `Email ${index}`, text: "One\nTwo\n" }),
          { concurrency: "unbounded" }
        )
      ).pipe(Effect.provide(layerOutboxFile(path)))
    )
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(20)
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ to: "ada@example.com", text: "One\nTwo\n" })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await failure(layerOutboxFile(join(directory, "no", "such", "file")))).code).toBe("unreachable")
  })
})
