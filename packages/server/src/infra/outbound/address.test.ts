import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isPublicAddress, isWithin, parseRange } from "./address.ts"

const refused: ReadonlyArray<readonly [kind: string, ...addresses: ReadonlyArray<string>]> = [
  ["unspecified", "0.0.0.0", "0.0.0.1", "0.255.255.255", "::"],
  ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  ["shared", "100.64.0.0", "100.100.100.200", "100.127.255.255"],
  ["loopback", "127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1"],
  ["link-local and metadata", "169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255", "168.63.129.16"],
  ["protocol assignments", "192.0.0.0", "192.0.0.9", "192.0.0.170", "192.0.0.192", "192.0.0.255"],
  [
    "documentation",
    "192.0.2.0",
    "192.0.2.255",
    "198.51.100.1",
    "203.0.113.255",
    "2001:db8::1",
    "3fff::1",
    "3fff:fff::1"
  ],
  ["6to4 relay, AS112, AMT", "192.88.99.1", "192.31.196.1", "192.175.48.1", "192.52.193.1", "2620:4f:8000::1"],
  ["benchmark", "198.18.0.0", "198.19.255.255", "2001:2::1"],
  ["multicast", "224.0.0.0", "239.255.255.255", "233.252.0.1", "ff00::", "ff02::1", "ff0e::1"],
  ["reserved and broadcast", "240.0.0.0", "255.255.255.254", "255.255.255.255"],
  ["IPv4-mapped", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:a9fe:a9fe", "::ffff:8.8.8.8", "0:0:0:0:0:ffff:10.0.0.1"],
  ["IPv4-compatible and SIIT", "::127.0.0.1", "::8.8.8.8", "::7f00:1", "::ffff:0:127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::a00:1", "64:ff9b:1:ffff::1"],
  ["6to4", "2002::", "2002:7f00:1::", "2002:808:808::1"],
  ["Teredo", "2001::1", "2001:0:7f00:1::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["ORCHID and drones", "2001:10::1", "2001:1f:ffff::", "2001:20::1", "2001:2f:ffff::", "2001:30::1"],
  ["anycast and AS112 assignments", "2001:1::1", "2001:3::1", "2001:4:112::1", "2001:1ff::1"],
  ["unique local", "fc00::", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "fdff:ffff::1"],
  ["link-local and site-local", "fe80::1", "febf::1", "fec0::1", "feff::1"],
  ["discard and segment routing", "100::", "100::1", "100:0:0:1::1", "5f00::1"],
  ["outside 2000::/3", "1000::1", "1fff::1", "4000::1", "8000::1", "e000::1", "fb00::1"],
  ["6bone", "3ffe::1"],
  ["ISATAP", "2606:4700::5efe:7f00:1", "2606:4700::200:5efe:10.0.0.1"],
  ["zones", "fe80::1%eth0", "2606:4700::1%1"],
  [
    "not an address, or another notation of one",
    "",
    "localhost",
    "example.com",
    "127.1",
    "2130706433",
    "0x7f000001",
    "8.8.8",
    "010.8.8.8",
    "0x8.8.8.8",
    "8.8.8.8.",
    " 8.8.8.8",
    "8.8.8.8/32",
    "8.8.8.8:443",
    "[2606:4700::1]",
    "256.1.1.1",
    ":::1"
  ]
]

const allowed = [
  "1.0.0.0",
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.0",
  "192.0.3.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "198.51.99.255",
  "198.51.101.0",
  "203.0.112.255",
  "203.0.114.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2001:db7::1",
  "2001:db9::1",
  "2003::1",
  "2620:4f:7fff::1",
  "2a00:1450::1",
  "3ffd::1",
  "3fff:1000::1"
]

const hex = (high: number, low: number) => ((high << 8) | low).toString(16)

describe("isPublicAddress", () => {
  it.each(refused.flatMap(([kind, ...addresses]) => addresses.map((address) => [address, kind] as const)))(
    "rejects %j (%s)",
    (address) => expect(isPublicAddress(address)).toBe(false)
  )

  it.each(allowed)("allows %s", (address) => expect(isPublicAddress(address)).toBe(true))

  const octet = fc.integer({ min: 0, max: 255 })

  it("rejects every mapped, translated and tunneled form of an IPv4 address, even of public ones", () => {
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const dotted = `${a}.${b}.${c}.${d}`
        const pair = `${hex(a, b)}:${hex(c, d)}`
        const inverted = `${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`
        const forms = [
          `::ffff:${dotted}`,
          `::ffff:${pair}`,
          `::${dotted}`,
          `::${pair}`,
          `::ffff:0:${dotted}`,
          `64:ff9b::${dotted}`,
          `64:ff9b::${pair}`,
          `64:ff9b:1::${pair}`,
          `64:ff9b:1:${hex(a, b)}:${hex(0, c)}:${hex(d, 0)}::`,
          `2002:${pair}::1`,
          `2001:0:${pair}::1`,
          `2001:0:808:808:0:0:${inverted}`,
          `fe80::5efe:${pair}`,
          `2606:4700::5efe:${pair}`,
          `2606:4700::200:5efe:${pair}`
        ]
        expect(forms.filter(isPublicAddress)).toEqual([])
      }),
      { numRuns: 2000 }
    )
  })

  it("rejects every address in the private ranges", () => {
    const first = fc.constantFrom(
      [10],
      [127],
      [169, 254],
      [172, 16],
      [172, 31],
      [192, 168],
      [100, 64],
      [0],
      [224],
      [240]
    )
    fc.assert(
      fc.property(
        first,
        fc.array(octet, { minLength: 3, maxLength: 3 }),
        (prefix, rest) => !isPublicAddress([...prefix, ...rest].slice(0, 4).join("."))
      ),
      { numRuns: 2000 }
    )
  })

  it("never throws, whatever the input", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => typeof isPublicAddress(text) === "boolean")
    )
  })
})

describe("parseRange", () => {
  it("parses networks and single addresses", () => {
    const ranges = ["10.1.0.0/16", "fd00::/8", "127.0.0.1"].flatMap((text) => parseRange(text) ?? [])
    expect(ranges).toHaveLength(6)
  })

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0/8",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "host/8",
    "fe80::%1/64"
  ])("rejects the range %j", (text) => expect(parseRange(text)).toBeUndefined())

  it("allows the listed form of an address and no other", () => {
    const range = parseRange("10.1.0.0/16")
    const ranges = range === undefined ? [] : [range]
    expect(isWithin("10.1.255.255", ranges)).toBe(true)
    expect(isWithin("10.2.0.0", ranges)).toBe(false)
    expect(isWithin("::ffff:10.1.0.1", ranges)).toBe(false)
  })
})
