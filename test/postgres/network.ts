import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

interface Pair {
  readonly client: Socket
  readonly database: Socket
  /** What was not passed on while the network was dead. */
  readonly kept: Array<() => void>
}

const portOf = (url: string) => Number(new URL(url).port)

/** A network between a process and its PostgreSQL that can die as networks do: silently, for both sides. */
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
  if (address === null || typeof address === "string") throw new Error("No port could be taken on 127.0.0.1.")
  const through = new URL(url)
  through.port = String(address.port)

  return {
    url: through.href,
    /** Passes nothing on, in either direction; connections open, and stay open. */
    die: () => {
      isDead = true
    },
    /** Passes on what was kept, and everything after. */
    live: () => {
      isDead = false
      for (const { kept } of pairs) for (const write of kept.splice(0)) write()
    },
    /** Resolves when each of the connections that are open now was closed by the process. */
    abandoned: async () => {
      const open = [...pairs]
      while (open.some((pair) => pairs.has(pair))) await new Promise<void>((resolve) => (changed = resolve))
    },
    /** Leads to another server from now on, as a name does after a fail-over; connections are cut. */
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
