import type { LogEntry } from "@orgplane/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it, vi } from "vitest"
import { Mailer, MailFailed } from "../../src/infra/ports/mailer.ts"
import { call, makeControlPlane, makeWorkspace, someAddress } from "../harness.ts"

const refusing = Layer.succeed(Mailer, {
  send: () => Effect.fail(new MailFailed({ code: "refused", message: "The mail server refused the email." }))
})

/** Causes two log entries, and returns what was written to stderr meanwhile. */
const logTwice = async (logger: (entry: LogEntry) => void | Promise<void>) => {
  const lines: Array<string> = []
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0)
  try {
    const plane = await makeControlPlane({ ports: { mailer: refusing }, logLevel: "debug", logger })
    const owner = await makeWorkspace(plane)
    await owner.call("POST", "/v1/invitations", { email: "secretive@example.com" })
    const response = await call(plane, undefined, someAddress())("POST", "/v1/sessions/email", {
      email: "b@example.com"
    })
    expect(response.status).toBe(202)
    await plane.dispose()
    return lines
  } finally {
    stderr.mockRestore()
  }
}

it("passes log entries to the application's logger instead of stderr, without email addresses or codes", async () => {
  const entries: Array<LogEntry> = []
  expect(await logTwice((entry) => void entries.push(entry))).toEqual([])
  const unsent = entries.filter(({ message }) => message.includes("An email was not sent."))
  expect(unsent).toHaveLength(2)
  for (const entry of unsent) {
    expect(entry.level).toMatch(/^(error|warn|info|debug)$/)
    expect(new Date(entry.time).toISOString()).toBe(entry.time)
    expect(entry.fields).toBeTypeOf("object")
  }
  expect(JSON.stringify(entries)).not.toContain("secretive")
})

it.each<readonly [string, () => void | Promise<void>]>([
  [
    "throws",
    () => {
      throw new Error("disk full")
    }
  ],
  ["rejects", () => Promise.reject(new Error("disk full"))]
])("serves requests although the application's logger %s, and reports it once", async (_, logger) => {
  const unhandled: Array<unknown> = []
  const onUnhandled = (error: unknown) => unhandled.push(error)
  process.on("unhandledRejection", onUnhandled)
  const lines = await logTwice(logger)
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off("unhandledRejection", onUnhandled)
  expect(unhandled).toEqual([])
  expect(lines.filter((line) => line.includes("the logger option threw"))).toHaveLength(1)
  expect(lines.join("")).toContain("disk full")
})
