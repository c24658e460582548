import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A block of addresses in CIDR notation, such as `10.0.0.0/8`. */
export type Range = readonly [network: Address, prefixBits: number]

/**
 * The lists are written out here, although `ipaddr.js` has its own, so that an update of the library cannot allow more
 * addresses. They follow the IANA special-purpose registries. If these list a small part of a block as reachable (such
 * as the anycast addresses in 192.0.0.0/24), the whole block is blocked.
 */
const blockedIPv4 = [
  "0.0.0.0/8", // this network, unspecified
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by carriers; some clouds keep their metadata here
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, metadata
  "168.63.129.16/32", // looks public, but is the host of every Azure virtual machine
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // multicast tunneling
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmark
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "233.252.0.0/24", // multicast documentation
  "240.0.0.0/4", // reserved, broadcast
  "255.255.255.255/32"
]

/** Everything else is not globally routable: loopback, mapped, translated, unique local, link-local and site-local. */
const globalUnicastIPv6 = "2000::/3"

const blockedIPv6 = [
  "2001::/23", // protocol assignments: Teredo, benchmark, AMT, ORCHID, drone identifiers
  "2001::/32", // Teredo
  "2001:2::/48", // benchmark
  "2001:4:112::/48", // AS112
  "2001:10::/28", // ORCHID
  "2001:20::/28", // ORCHIDv2
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: embeds an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3ffe::/16", // 6bone, returned
  "3fff::/20" // documentation
]

/**
 * Accepts only one notation of IPv4, and no zone. With a less strict parser, the checked address could differ from the
 * address that the socket connects to.
 */
const parse = (address: string): Address | undefined =>
  isIP(address) === 0 || address.includes("%") ? undefined : ipaddr.parse(address)

/** Undefined when the text is not in CIDR notation; a single address is a range of one. */
export const parseRange = (text: string): Range | undefined => {
  const [network = "", prefix, ...rest] = text.trim().split("/")
  const address = parse(network)
  if (address === undefined || rest.length > 0) return undefined
  const bitsMax = address.kind() === "ipv4" ? 32 : 128
  if (prefix === undefined) return [address, bitsMax]
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity
  return bits <= bitsMax ? [address, bits] : undefined
}

const rangesOf = (texts: ReadonlyArray<string>): ReadonlyArray<Range> =>
  texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new Error(`Not a range: ${text}`)
    return range
  })

const within = (address: Address, ranges: ReadonlyArray<Range>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

const blocked = [...rangesOf(blockedIPv4), ...rangesOf(blockedIPv6)]
const globalUnicast = rangesOf([globalUnicastIPv6])

/** An ISATAP interface identifier carries an IPv4 address under any prefix (RFC 5214). */
const isIsatap = (address: ipaddr.IPv6): boolean =>
  (address.parts[4] === 0 || address.parts[4] === 0x200) && address.parts[5] === 0x5efe

/** True only for an address of the public internet; false for text that is not an address. */
export const isPublicAddress = (address: string): boolean => {
  const parsed = parse(address)
  if (parsed === undefined || parsed.range() !== "unicast" || within(parsed, blocked)) return false
  return parsed.kind() === "ipv4" || (within(parsed, globalUnicast) && !isIsatap(parsed as ipaddr.IPv6))
}

/** An IPv4 range does not include the IPv4-mapped IPv6 form of its addresses: each form must be listed. */
export const isWithin = (address: string, ranges: ReadonlyArray<Range>): boolean => {
  const parsed = parse(address)
  return parsed !== undefined && within(parsed, ranges)
}
