import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

interface Pair {
  readonly client: Socket
  readonly database: Socket
  /** Bytes that were held back while the network was dead. */
  readonly kept: Array<() => void>
}

const portOf = (url: string) => Number(new URL(url).port)

/** A proxy between a process and PostgreSQL that can drop all traffic silently, in both directions. */
export const startNetwork = async (url: string) => {
  const pairs = new Set<Pair>()
  let port = portOf(url)
  let isDead = false
  let changed = () => {}

  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1")
    const pair: Pair = { client, database, kept: [] }
    pairs.add(pair)
    const pass = (to: Socket) => (chunk: Buffer) => {
      if (isDead) pair.kept.push(() => to.write(chunk))
      else to.write(chunk)
    }
    client.on("data", pass(database))
    database.on("data", pass(client))
    for (const socket of [client, database]) {
      socket.on("error", () => {})
      socket.on("close", () => {
        pairs.delete(pair)
        client.destroy()
        database.destroy()
        changed()
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("There is no free port on 127.0.0.1.")
  const through = new URL(url)
  through.port = String(address.port)

  return {
    url: through.href,
    /** Forwards nothing in either direction; connections still open, and stay open. */
    die: () => {
      isDead = true
    },
    /** Forwards the held bytes, and everything after them. */
    live: () => {
      isDead = false
      for (const { kept } of pairs) for (const write of kept.splice(0)) write()
    },
    /** Resolves when the process has closed all connections that are open now. */
    abandoned: async () => {
      const open = [...pairs]
      while (open.some((pair) => pairs.has(pair))) await new Promise<void>((resolve) => (changed = resolve))
    },
    /** Switches to another server, as a host name does after a failover. Open connections are closed. */
    lead: (to: string) => {
      port = portOf(to)
      for (const { client, database } of pairs) {
        client.destroy()
        database.destroy()
      }
    },
    stop: () => {
      for (const { client } of pairs) client.destroy()
      server.close()
    }
  }
}
