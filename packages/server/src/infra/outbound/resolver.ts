import { lookup as lookupAddress, Resolver } from "node:dns/promises"
import { isIP, isIPv6 } from "node:net"

/** Every A and AAAA of a name; nothing, or a rejection, when there is none. The signal ends a question nobody waits for. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<{ readonly address: string }>>

/** `address`, `address:port` or `[address]:port`, normalised; undefined for anything else, a name included. */
export const parseDnsServer = (text: string): string | undefined => {
  const [, bracketed, plain, port] = /^(?:\[([\d.:a-f]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  const isAddress = bracketed === undefined ? isIP(address) !== 0 : isIPv6(address)
  if (!isAddress || Number(port ?? 53) < 1 || Number(port ?? 53) > 65_535) return undefined
  return `${isIPv6(address) ? `[${address}]` : address}:${Number(port ?? 53)}`
}

/** A question's first wait; the resolver asks every server twice, the second time for longer. */
const questionMillis = 2_000

/**
 * Asks these servers and nobody else: neither the machine's own ones nor its hosts file. A family that fails counts as
 * empty, because only what is found and judged is ever dialled.
 */
const askServers =
  (servers: ReadonlyArray<string>): Lookup =>
  async (hostname, signal) => {
    // One for each name: giving up closes the sockets of this name's questions alone.
    const resolver = new Resolver({ timeout: questionMillis, tries: 2 })
    resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener("abort", cancel, { once: true })
    try {
      const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      return found
        .flatMap((family) => (family.status === "fulfilled" ? family.value : []))
        .map((address) => ({ address }))
    } finally {
      signal.removeEventListener("abort", cancel)
    }
  }

/** The machine's own lookup, hosts file included, unless servers are named. */
export const makeLookup = (servers: ReadonlyArray<string>): Lookup =>
  servers.length === 0 ? (hostname) => lookupAddress(hostname, { all: true }) : askServers(servers)

/** These names are this machine's whatever a server says (RFC 6761), so that nobody is asked. */
export const isLocalhost = (hostname: string): boolean => hostname === "localhost" || hostname.endsWith(".localhost")
