import { Buffer } from "node:buffer"
import type { Duplex } from "node:stream"
import { describe, expect, it } from "vitest"
import { type Backend, makeSessions } from "./pglite-sessions.ts"
import * as Wire from "./wire.ts"

const startup = (() => {
  const body = Buffer.from("user\0postgres\0\0")
  const header = Buffer.alloc(8)
  header.writeInt32BE(8 + body.length, 0)
  header.writeInt32BE(196608, 4)
  return Buffer.concat([header, body])
})()

/** A backend that supports `begin`, `rollback`, `throw`, `never` and `notify`, and counts everything else. */
const fakeBackend = () => {
  const seen: Array<string> = []
  let status: "I" | "T" | "E" = "I"
  const backend: Backend = {
    startup: Buffer.concat([
      Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
      Wire.backendKeyData(1, 1),
      Wire.readyForQuery("I")
    ]),
    ended: new Promise(() => {}),
    exec: async (messages, responded) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      const bytes = Buffer.from(messages)
      if (bytes[0] === Wire.type.sync) {
        seen.push("sync")
        responded(Wire.readyForQuery(status))
        return
      }
      const text = bytes.toString("utf8", 5, bytes.length - 1)
      seen.push(text)
      if (text === "throw") throw new Error("unreachable")
      if (text === "never") return new Promise(() => {})
      if (text === "begin") status = "T"
      if (text === "ROLLBACK") status = "I"
      if (text === "notify") responded(Buffer.from([Wire.type.notification, 0, 0, 0, 10, 0, 0, 0, 0, 0x63, 0]))
      // In two pieces, like a long response.
      const ready = Wire.readyForQuery(status)
      responded(ready.subarray(0, 3))
      responded(ready.subarray(3))
    }
  }
  return { backend, seen }
}

/** A client that counts responses and keeps the error that ended it. */
const client = (socket: Duplex) => {
  const kinds: Array<string> = []
  let cause: Error | undefined
  let wake = () => {}
  const closed = new Promise<void>((resolve) => socket.once("close", resolve))
  socket.on("error", (error) => {
    cause = error
  })
  socket.on("data", (bytes: Buffer) => {
    for (const frame of Wire.splitFrames(bytes).frames) kinds.push(String.fromCharCode(frame[0] ?? 0))
    wake()
  })
  socket.write(startup)
  const responses = async (count: number) => {
    while (kinds.filter((kind) => kind === "Z").length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    socket,
    kinds,
    closed,
    responses,
    say: (text: string) => socket.write(Wire.query(text)),
    cause: () => cause
  }
}

describe("sessions over one backend", () => {
  it("gives a transaction the backend exclusively", async () => {
    const { backend, seen } = fakeBackend()
    const sessions = makeSessions(backend)
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("begin")
    await a.responses(2)
    b.say("other")
    a.say("mine")
    await a.responses(3)
    a.say("ROLLBACK")
    await b.responses(2)
    expect(seen).toEqual(["begin", "mine", "ROLLBACK", "other"])
  })

  it("delivers messages at any time after a response", async () => {
    const { backend } = fakeBackend()
    const prompt: Backend = { ...backend, exec: async (_, responded) => responded(Wire.readyForQuery("I")) }
    const a = client(makeSessions(prompt).connect())
    for (let later = 0; later < 40; later++) {
      a.say("first")
      await a.responses(2 + 2 * later)
      for (let n = 0; n < later; n++) await Promise.resolve()
      a.say("second")
      await a.responses(3 + 2 * later)
    }
    expect(a.kinds.filter((kind) => kind === "Z")).toHaveLength(81)
  })

  it("ends the session whose statement made the backend throw, rolls back, and serves the others", async () => {
    const { backend, seen } = fakeBackend()
    const sessions = makeSessions(backend)
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("begin")
    await a.responses(2)
    b.say("other")
    a.say("throw")
    await a.closed
    expect(a.cause()?.message).toBe("unreachable")
    await b.responses(2)
    expect(seen).toEqual(["begin", "throw", "sync", "ROLLBACK", "other"])
  })

  it("fails every session when a rollback fails too", async () => {
    const { backend } = fakeBackend()
    const broken: Backend = {
      ...backend,
      exec: (messages, responded) =>
        Buffer.from(messages).includes("throw") || messages[0] === Wire.type.sync
          ? Promise.reject(new Error("unreachable"))
          : backend.exec(messages, responded)
    }
    const sessions = makeSessions(broken)
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("throw")
    b.say("other")
    await Promise.all([a.closed, b.closed])
    expect(b.cause()?.message).toBe("unreachable")
    const late = client(sessions.connect())
    await late.closed
    expect(late.cause()?.message).toBe("unreachable")
    await expect(sessions.alone(async () => "ran")).rejects.toThrow("unreachable")
    await sessions.close()
  })

  it("rolls back for a session that closes within a transaction", async () => {
    const { backend, seen } = fakeBackend()
    const sessions = makeSessions(backend)
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("begin")
    await a.responses(2)
    b.say("other")
    a.socket.destroy()
    await b.responses(2)
    expect(seen).toEqual(["begin", "ROLLBACK", "other"])
  })

  it("ends an idle transaction only when others wait, and only after the timeout", async () => {
    const { backend, seen } = fakeBackend()
    const sessions = makeSessions(backend, { heldMillisMax: 100 })
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("begin")
    await a.responses(2)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(a.socket.destroyed).toBe(false)
    b.say("other")
    const newcomers = setInterval(() => client(sessions.connect()).say("more"), 30)
    await a.closed
    clearInterval(newcomers)
    // New waiting sessions do not restart the timeout.
    expect(a.cause()?.message).toMatch(/used the embedded database for 100 ms .* was rolled back/)
    await b.responses(2)
    expect(seen.slice(0, 3)).toEqual(["begin", "ROLLBACK", "other"])
  })

  it("measures the idle time from the holder's last statement", async () => {
    const { backend } = fakeBackend()
    const sessions = makeSessions(backend, { heldMillisMax: 100 })
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("begin")
    await a.responses(2)
    b.say("other")
    for (let n = 0; n < 6; n++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      a.say("mine")
      await a.responses(3 + n)
    }
    expect(a.socket.destroyed).toBe(false)
    a.say("ROLLBACK")
    await b.responses(2)
  })

  it("delivers a notification to every session", async () => {
    const { backend } = fakeBackend()
    const sessions = makeSessions(backend)
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("notify")
    await a.responses(2)
    b.say("x")
    await b.responses(2)
    expect(a.kinds.filter((kind) => kind === "A")).toHaveLength(1)
    expect(b.kinds.filter((kind) => kind === "A")).toHaveLength(1)
  })

  it("cancels a waiting statement, only with the right key", async () => {
    const { backend, seen } = fakeBackend()
    const sessions = makeSessions(backend)
    const keys: Array<Buffer> = []
    const [a, b] = [client(sessions.connect()), sessions.connect()]
    b.on("data", (bytes: Buffer) =>
      keys.push(...Wire.splitFrames(bytes).frames.filter((frame) => frame[0] === Wire.type.backendKeyData))
    )
    const waiter = client(b)
    a.say("begin")
    await a.responses(2)
    waiter.say("slow")
    const cancel = async (key: Buffer) => {
      const header = Buffer.alloc(8)
      header.writeInt32BE(16, 0)
      header.writeInt32BE(Wire.startupCode.cancel, 4)
      const socket = sessions.connect()
      const closed = new Promise((resolve) => socket.once("close", resolve))
      socket.write(Buffer.concat([header, key]))
      await closed
    }
    const key = keys[0]?.subarray(5) ?? Buffer.alloc(8)
    const wrong = Buffer.from(key)
    wrong.writeInt32BE(wrong.readInt32BE(4) ^ 1, 4)
    await cancel(wrong)
    expect(waiter.kinds).not.toContain("E")
    await cancel(key)
    await waiter.responses(2)
    expect(waiter.kinds).toContain("E")
    a.say("ROLLBACK")
    await a.responses(3)
    expect(seen).toEqual(["begin", "ROLLBACK"])
  })

  it("pauses a writer while too much of its data waits", async () => {
    const { backend } = fakeBackend()
    const sessions = makeSessions(backend)
    const [a, b] = [client(sessions.connect()), client(sessions.connect())]
    a.say("begin")
    await a.responses(2)
    let written = 0
    for (let n = 0; n < 4; n++) b.socket.write(Wire.query("x".repeat(800_000)), () => written++)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(written).toBe(1)
    a.say("ROLLBACK")
    await b.responses(5)
    expect(written).toBe(4)
  })

  it("pauses responses to a reader that has paused", async () => {
    const { backend } = fakeBackend()
    const chatty: Backend = {
      ...backend,
      exec: async (_, responded) => {
        for (let n = 0; n < 100; n++)
          responded(Buffer.concat([Buffer.from([0x64, 0, 0, 0x40, 4]), Buffer.alloc(0x4000)]))
        responded(Wire.readyForQuery("I"))
      }
    }
    const socket = makeSessions(chatty).connect()
    const a = client(socket)
    await a.responses(1)
    socket.pause()
    a.say("much")
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(socket.readableLength).toBeLessThan(100_000)
    socket.resume()
    await a.responses(2)
    expect(a.kinds.filter((kind) => kind === "d")).toHaveLength(100)
  })

  it("runs a task between transactions, and is idle before it closes", async () => {
    const { backend, seen } = fakeBackend()
    const sessions = makeSessions(backend)
    const a = client(sessions.connect())
    a.say("begin")
    await a.responses(2)
    const alone = sessions.alone(async () => seen.push("alone"))
    a.say("ROLLBACK")
    await alone
    a.say("begin")
    await a.responses(4)
    await sessions.close()
    expect(seen).toEqual(["begin", "ROLLBACK", "alone", "begin", "ROLLBACK"])
  })
})

describe("rewrite", () => {
  const textOf = (bytes: Buffer) => bytes.toString("utf8", 5, bytes.length - 1)

  it("keeps other sessions listening, and rejects COPY through the connection", () => {
    expect(textOf(Wire.rewrite(Wire.query('UNLISTEN "a b"')))).toBe('LISTEN "a b"')
    expect(textOf(Wire.rewrite(Wire.query("-- x\n unlisten *")))).toBe("SELECT")
    expect(textOf(Wire.rewrite(Wire.query("/* x */ copy t (a) from stdin")))).toMatch(/feature_not_supported/)
    for (const plain of ["SELECT 'unlisten x'", "COPY t TO '/dev/blob'", "UPDATE t SET a = 'copy from stdin'"]) {
      expect(textOf(Wire.rewrite(Wire.query(plain)))).toBe(plain)
    }
  })
})
