import { once } from "node:events"
import { createServer } from "node:net"

/**
 * The ports are below the ephemeral range (Linux: from 32768, others: from 49152). Otherwise, a test that listens on port
 * 0 could get the port of a killed server while its clients still try to connect.
 */
const firstPort = 15_000
const portCount = 17_000
const triesMax = 100

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, "127.0.0.1")
  try {
    await once(server, "listening")
  } catch {
    return false
  }
  server.close()
  await once(server, "close")
  return true
}

/** A port of loopback for a server that has to know its port before it starts, or that restarts on the same port. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = firstPort + Math.floor(Math.random() * portCount)
    if (await isFree(port)) return port
  }
  throw new Error(`No free port found on 127.0.0.1 in ${triesMax} attempts.`)
}
