import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/**
 * A proxy between a process and its PostgreSQL that detects connections that listen for notifications. Only those can be
 * cut or blocked; all others continue.
 */
export const startNoticeProxy = async (url: string) => {
  const target = new URL(url)
  const all = new Set<Socket>()
  const listening = new Map<Socket, Array<() => void>>()
  let state: "open" | "cut" | "held" = "open"

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      all.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        all.delete(socket)
        listening.delete(client)
        client.destroy()
        database.destroy()
      })
    }
    client.on("data", (chunk: Buffer) => {
      if (chunk.includes("LISTEN ")) {
        if (state === "cut") return client.destroy()
        if (!listening.has(client)) listening.set(client, [])
      }
      return database.write(chunk)
    })
    database.on("data", (chunk: Buffer) => {
      const held = state === "held" ? listening.get(client) : undefined
      if (held === undefined) client.write(chunk)
      else held.push(() => client.write(chunk))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("There is no free port on 127.0.0.1.")
  const through = new URL(url)
  through.hostname = "127.0.0.1"
  through.port = String(address.port)

  return {
    url: through.href,
    /** Closes the listening connections, and every new one that listens. */
    cut: () => {
      state = "cut"
      for (const client of listening.keys()) client.destroy()
    },
    /** Blocks all data to listening connections, as a stalled network does. The data is kept. */
    hold: () => {
      state = "held"
    },
    /** The number of chunks that are held back. */
    heldCount: () => [...listening.values()].reduce((sum, held) => sum + held.length, 0),
    /** Forwards the oldest held chunk and keeps the rest. */
    trickle: () => {
      for (const held of listening.values()) held.shift()?.()
    },
    /** Forwards everything again, including the held chunks. */
    open: () => {
      state = "open"
      for (const held of listening.values()) for (const write of held.splice(0)) write()
    },
    stop: () => {
      for (const socket of all) socket.destroy()
      server.close()
    }
  }
}
