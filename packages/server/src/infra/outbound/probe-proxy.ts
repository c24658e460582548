/** Checks the operator's proxy: connects to it and asks it for a tunnel, as an outbound request does. */
import * as Effect from "effect/Effect"
import type { OutboundFailed } from "../ports/outbound.ts"
import { isPublicAddress } from "./address.ts"
import { connectToProxy, type Endpoint, ProxyRefused, tunnel } from "./connect.ts"
import { failed, failureOf } from "./failure.ts"
import { literalOf } from "./hop.ts"
import { OutboundMisconfigured, readProxy, readSecureContext, timeoutDefaultMillis } from "./layer.ts"
import { makeLookup, parseDnsServer } from "./resolver.ts"

export interface ProxyProbe {
  readonly proxy: string
  readonly ca: string | undefined
  readonly dnsServers: ReadonlyArray<string>
  /** The URLs that requests through the proxy may use. The first one with a public address is used. */
  readonly urls: ReadonlyArray<string>
}

export interface ProxyTunnel extends Endpoint {
  readonly host: string
  /** The status that the proxy returned for CONNECT; undefined if it closed the connection without a response. */
  readonly status: number | undefined
}

const urlsMax = 5

/** The first URL with a public address. Requests to private addresses do not use the proxy. */
const findPublic = async ({ dnsServers, urls }: ProxyProbe, signal: AbortSignal) => {
  const lookup = makeLookup(dnsServers.map((server) => parseDnsServer(server) ?? server))
  for (const url of urls.slice(0, urlsMax).map((text) => new URL(text))) {
    const literal = literalOf(url)
    const addresses = await (literal === undefined
      ? lookup(url.hostname, signal).catch(() => [])
      : Promise.resolve([{ address: literal }]))
    const address = addresses.find((entry) => isPublicAddress(entry.address))?.address
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80)
    if (address !== undefined) return { host: url.hostname, address, port }
  }
  return undefined
}

/**
 * Connects to the proxy, with TLS if its URL is https, and asks it for a tunnel. Sends nothing through the tunnel. Returns
 * undefined if the proxy accepts the connection, but no URL has a public address.
 */
export const probeProxy = (
  probe: ProxyProbe
): Effect.Effect<ProxyTunnel | undefined, OutboundMisconfigured | OutboundFailed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const server = readProxy(probe.proxy)
      const socket = await connectToProxy(server, readSecureContext(probe.ca), signal)
      try {
        const target = await findPublic(probe, signal)
        if (target === undefined) return undefined
        const status = await tunnel(socket, target, server.authorization).then(
          () => 200,
          (cause: unknown) => (cause instanceof ProxyRefused ? cause.status : undefined)
        )
        return { ...target, status }
      } finally {
        socket.destroy()
      }
    },
    catch: (cause) => (cause instanceof OutboundMisconfigured ? cause : failureOf(cause))
  }).pipe(Effect.timeoutOrElse({ duration: timeoutDefaultMillis, orElse: () => Effect.fail(failed("timeout")) }))
