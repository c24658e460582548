import { createServer, type AddressInfo, type Socket } from "node:net"
import { expect, it } from "vitest"
import { openSession } from "./postgres-session.ts"
import { parsePostgresUrl } from "./postgres-url.ts"

const startup = Buffer.from("\0\0\0\x10\0\x03\0\0user\0u\0\0", "latin1")
const messageOf = (kind: string, body: Buffer) => {
  const header = Buffer.alloc(5)
  header.write(kind)
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}
const authentication = (code: number, data = "") =>
  messageOf("R", Buffer.concat([Buffer.from([0, 0, 0, code]), Buffer.from(data)]))
const sasl = authentication(10, "SCRAM-SHA-256\0\0")
const completed = Buffer.concat([authentication(0), messageOf("Z", Buffer.from("I"))])
const nonceOf = (message: Buffer) => /r=([^,]+)/u.exec(message.toString())?.[1] ?? ""

/** The error of opening a session at a server that sends its next message each time it receives something. */
const failureAt = async (...messages: ReadonlyArray<(received: Buffer) => Buffer>) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let next = 0
    socket.on("error", () => {})
    socket.on("data", (received) => {
      const message = messages[next]?.(received)
      next += 1
      if (message !== undefined) socket.write(message)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const target = parsePostgresUrl(`postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/db`)
  if (typeof target === "string") throw new Error(target)
  try {
    await openSession({ target, hosts: target.hosts, startup, signal: new AbortController().signal })
    return "no failure"
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

it("ends at a message with an invalid length instead of reading forever", async () => {
  for (const length of ["\xff\xff\xff\xff", "\xff\xff\xff\xfd", "\0\0\0\0", "\0\0\0\x03"]) {
    const message = Buffer.from(`S${length}..`, "latin1")
    expect(await failureAt(() => message)).toBe("The server sent an invalid PostgreSQL message.")
  }
})

it("rejects a server that starts SCRAM and does not prove that it knows the password", async () => {
  const challenge = (received: Buffer) => authentication(11, `r=${nonceOf(received)}x,s=QUJD,i=4096`)
  const unproven = "The server completed authentication without proving its identity."
  expect(
    await failureAt(
      () => sasl,
      () => completed
    )
  ).toBe(unproven)
  expect(
    await failureAt(
      () => sasl,
      challenge,
      () => completed
    )
  ).toBe(unproven)
  const wrong = authentication(12, `v=${Buffer.alloc(32).toString("base64")}`)
  expect(
    await failureAt(
      () => sasl,
      challenge,
      () => Buffer.concat([wrong, completed])
    )
  ).toContain("signature mismatch")
})
