import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"

export type TrustedProxies = ReadonlyArray<[ipaddr.IPv4 | ipaddr.IPv6, number]>

/** Addresses and ranges of proxies whose `x-forwarded-for` is trusted. Throws on an invalid range. */
export const trustedProxies = (ranges: ReadonlyArray<string>): TrustedProxies =>
  ranges.map((range) =>
    range.includes("/") ? ipaddr.parseCIDR(range) : ipaddr.parseCIDR(`${range}/${range.includes(":") ? 128 : 32}`)
  )

const isTrusted = (address: string, proxies: TrustedProxies) => {
  if (proxies.length === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return proxies.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits))
}

const groupsMax = 1000
const groups = new Map<string, string>()

/** One limit per network: an IPv6 address counts as its /64. Cached, because most requests come from few addresses. */
const grouped = (address: string): string => {
  const cached = groups.get(address)
  if (cached !== undefined) return cached
  if (groups.size >= groupsMax) groups.clear()
  const group = groupOf(address)
  groups.set(address, group)
  return group
}

const groupOf = (address: string) => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return parsed.toString()
  const parts = parsed.toByteArray().slice(0, 8)
  return `${parts.map((byte) => byte.toString(16).padStart(2, "0")).join("")}/64`
}

/** The caller's source address: the last hop that is not a trusted proxy. */
export const addressOf = (request: HttpServerRequest, proxies: TrustedProxies): string => {
  const peer = Option.getOrElse(request.remoteAddress, () => "embedded")
  if (!isTrusted(peer, proxies)) return grouped(peer)
  const hops = (request.headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter((hop) => hop !== "")
  const stranger = hops.findLast((hop) => !isTrusted(hop, proxies))
  return grouped(stranger ?? peer)
}
