import { lookup as lookupAddress, NODATA, NOTFOUND, Resolver } from "node:dns/promises"
import { isIP, isIPv6 } from "node:net"

/** All A and AAAA records of a name; empty, or a rejection, when there are none. The signal cancels the query. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<{ readonly address: string }>>

/** `address`, `address:port` or `[address]:port`, normalized; undefined for anything else, including a name. */
export const parseDnsServer = (text: string): string | undefined => {
  const [, bracketed, plain, port] = /^(?:\[([\d.:a-f]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  const isAddress = bracketed === undefined ? isIP(address) !== 0 : isIPv6(address)
  if (!isAddress || Number(port ?? 53) < 1 || Number(port ?? 53) > 65_535) return undefined
  return `${isIPv6(address) ? `[${address}]` : address}:${Number(port ?? 53)}`
}

/** Timeout of a first query; the resolver queries every server twice, the second time with a longer timeout. */
const queryMillis = 2_000

/**
 * Queries only these servers, neither the system's resolver nor the hosts file. A failed query for one family counts as
 * empty, because only addresses that were returned and checked are connected to.
 */
const queryServers =
  (servers: ReadonlyArray<string>): Lookup =>
  async (hostname, signal) => {
    // One resolver per name, so that canceling closes only the sockets of this name's queries.
    const resolver = new Resolver({ timeout: queryMillis, tries: 2 })
    resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener("abort", cancel, { once: true })
    try {
      const families = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      return families
        .flatMap((family) => (family.status === "fulfilled" ? family.value : []))
        .map((address) => ({ address }))
    } finally {
      signal.removeEventListener("abort", cancel)
    }
  }

/** The error codes for a name without such a record, which a name server returned. */
const denials: ReadonlySet<unknown> = new Set([NODATA, NOTFOUND])

/** Whether a name server responds, which it also does for a name that does not exist. Rejects with the error's code. */
export const probeDnsServer = async (server: string, hostname: string, signal: AbortSignal): Promise<void> => {
  const resolver = new Resolver({ timeout: queryMillis, tries: 2 })
  resolver.setServers([server])
  const cancel = (): void => resolver.cancel()
  signal.addEventListener("abort", cancel, { once: true })
  try {
    await resolver.resolve4(hostname)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && denials.has(cause.code))) throw cause
  } finally {
    signal.removeEventListener("abort", cancel)
  }
}

/** The system's resolver, including the hosts file, unless servers are configured. */
export const makeLookup = (servers: ReadonlyArray<string>): Lookup =>
  servers.length === 0 ? (hostname) => lookupAddress(hostname, { all: true }) : queryServers(servers)

/** These names are always this machine (RFC 6761), so they are never looked up. */
export const isLocalhost = (hostname: string): boolean => hostname === "localhost" || hostname.endsWith(".localhost")
