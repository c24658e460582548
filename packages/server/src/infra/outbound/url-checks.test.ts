import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { isPublicAddress } from "./address.ts"
import { refusal, request, runWith } from "./fixtures/requests.ts"
import { LocalInternet } from "./fixtures/local-internet.ts"
import {
  type Block,
  blocks,
  colonsOf,
  dottedOf,
  embeddingsOf,
  type Family,
  isSpecial,
  spellingsOfIPv4,
  spellingsOfIPv6
} from "./fixtures/special-addresses.ts"
import type { OutboundOptions } from "./index.ts"

/** The same numbers in every run, for reproducible counts (Park and Miller). */
const chance = (seed: number) => {
  let state = seed
  const next = (): bigint => BigInt((state = (state * 48_271) % 2_147_483_647))
  return (size: bigint): bigint =>
    Array.from({ length: 5 }, next).reduce((value, part) => (value << 31n) | part, 0n) % size
}

const spaceOf = (family: Family): bigint => 1n << (family === 4 ? 32n : 128n)
const write = (family: Family, value: bigint): string => (family === 4 ? dottedOf(value) : colonsOf(value))

/** The edges of a block, the addresses next to it, its middle, and random ones. */
const samplesOf = ({ family, first, last }: Block): ReadonlyArray<bigint> => {
  const random = chance(Number(first % 1_000_003n) + 1)
  const inside = [first, first + 1n, (first + last) / 2n, last - 1n, last]
  const byChance = Array.from({ length: 50 }, () => first + random(last - first + 1n))
  const samples = new Set([first - 1n, last + 1n, ...inside, ...byChance])
  return [...samples].filter((value) => value >= 0n && value < spaceOf(family))
}

describe("an IP address", () => {
  it("is public exactly where the registries say so: 64 blocks, their edges, and 60,000 random addresses", () => {
    expect(blocks).toHaveLength(64)
    const wrong: Array<string> = []
    let urlCount = 0
    const judge = (family: Family, value: bigint) => {
      urlCount++
      const text = write(family, value)
      if (isPublicAddress(text) === isSpecial(family, value)) wrong.push(text)
    }
    for (const block of blocks) for (const value of samplesOf(block)) judge(block.family, value)
    const random = chance(1)
    for (let run = 0; run < 20_000; run++) {
      judge(4, random(spaceOf(4)))
      judge(6, random(spaceOf(6)))
      judge(6, (1n << 125n) | random(1n << 125n))
    }
    expect(wrong).toEqual([])
    expect(urlCount).toBe(63_275)
  })

  it("of IPv4 embedded in IPv6 is never public", () => {
    const random = chance(2)
    const inside = [
      ...blocks.filter(({ family }) => family === 4).map(({ first }) => first),
      ...Array.from({ length: 2_000 }, () => random(spaceOf(4)))
    ]
    const forms = inside.flatMap((value) => embeddingsOf(value).flatMap(spellingsOfIPv6))
    expect(forms.filter(isPublicAddress)).toEqual([])
    expect(forms).toHaveLength(120_959)
  })
})

let net: LocalInternet
let options: OutboundOptions
beforeEach(() => {
  net = new LocalInternet()
  // An address that is mistaken for a name would be resolved and connected to.
  options = { ...net.options, lookup: () => Promise.resolve([{ address: "1.1.1.1" }]) }
})
afterEach(() => net.close())

/** The result of each URL, with one client. */
const codesOf = (urls: ReadonlyArray<string>, allowHttp = false) =>
  runWith(
    Effect.forEach(urls, (url) => Effect.flip(request({ url })).pipe(Effect.map(({ code }) => [url, code] as const)), {
      concurrency: 16
    }),
    { ...options, allowHttp }
  )

const except = (codes: ReadonlyArray<readonly [string, string]>, expected: string) =>
  codes.filter(([, code]) => code !== expected)

describe("a host in a URL", () => {
  it("is rejected in any notation of a special IPv4 address, without lookup or connection", async () => {
    const special = blocks.filter(({ family }) => family === 4)
    const values = special.flatMap(({ first, last }) => [...new Set([first, (first + last) / 2n, last])])
    const urls = values.flatMap((value) => spellingsOfIPv4(value).map((host) => `https://${host}/`))
    expect(except(await codesOf(urls), "blocked")).toEqual([])
    expect(
      except(
        await codesOf(
          urls.map((url) => url.replace("https:", "http:")),
          true
        ),
        "blocked"
      )
    ).toEqual([])
    expect(net.dialled).toEqual([])
    expect(urls).toHaveLength(3960)
  })

  it("is rejected in any notation of a special IPv6 address", async () => {
    const special = blocks.filter(({ family }) => family === 6)
    const values = special.flatMap(({ first, last }) => [...new Set([first, (first + last) / 2n, last])])
    const embedded = blocks.filter(({ family }) => family === 4).flatMap(({ first }) => embeddingsOf(first))
    const urls = [...new Set([...values, ...embedded])].flatMap((value) =>
      spellingsOfIPv6(value).map((host) => `https://[${host}]:8443/`)
    )
    expect(except(await codesOf(urls), "blocked")).toEqual([])
    expect(net.dialled).toEqual([])
    expect(urls).toHaveLength(1582)
  })

  it("is connected to in any notation of a public address", async () => {
    const random = chance(3)
    const values = Array.from({ length: 40 }, () => random(spaceOf(4))).filter((value) => !isSpecial(4, value))
    for (const value of values) {
      net.dialled.length = 0
      const hosts = spellingsOfIPv4(value)
      expect(except(await codesOf(hosts.map((host) => `https://${host}/`)), "unreachable")).toEqual([])
      expect(net.dialled).toEqual(hosts.map(() => `${dottedOf(value)}:443`))
    }
  })

  const tricks = (inside: string) => [
    `https:${inside}`,
    `https:/${inside}/`,
    `https:\\\\${inside}/`,
    `https:////${inside}/`,
    `HTTPS://${inside}`,
    ` https://${inside}/ `,
    `ht\ntps://${inside}/`,
    `https://${inside}:443/`,
    `https://${inside}:00443/`,
    `https://${inside}:8443?@one.example/`,
    `https://${inside}#@one.example/`,
    `https://${inside}\\@one.example/`,
    `https://${inside}/@one.example/`,
    `https://@${inside}/`,
    `https://:@${inside}/`
  ]

  it.each(["127.0.0.1", "169.254.169.254", "2130706433", "[::1]", "[::ffff:169.254.169.254]"])(
    "is rejected as %s, however the URL around it is written",
    async (inside) => {
      expect(except(await codesOf(tricks(inside)), "blocked")).toEqual([])
      expect(net.dialled).toEqual([])
    }
  )

  it.each(["127.0.0.1", "169.254.169.254", "[::1]"])(
    "is not reached as %s behind user info or an incomplete URL",
    async (inside) => {
      const urls = [
        `https://one.example@${inside}/`,
        `https://one.example:443@${inside}/`,
        `https://a:b@one.example@${inside}/`,
        `https://one.example%40${inside}/`,
        `https://one.example%2F@${inside}/`,
        `https://${inside}%00.one.example/`,
        `https://${inside}%2f.one.example/`,
        `https://${inside}%23.one.example/`,
        `https://${inside} .one.example/`,
        `https://${inside}|one.example/`,
        `https://[${inside}%25eth0]/`,
        `https://[fe80::1%eth0]/`,
        `https://[fe80::1%25eth0]/`,
        `https://[v1.${inside}]/`,
        `//${inside}/`,
        `gopher://${inside}/`,
        `ws://${inside}/`,
        `wss://${inside}/`,
        `file://${inside}/`,
        `jar:https://${inside}!/`
      ]
      expect(except(await codesOf(urls), "invalid_url")).toEqual([])
      expect(net.dialled).toEqual([])
    }
  )

  it("is checked in a redirect like in the first URL, in every notation of the metadata address", async () => {
    const hosts = [...spellingsOfIPv4(0xa9fe_a9fen), "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]", "localhost"]
    const locations = hosts.filter((host) => /^[\x20-\x7e]+$/.test(host)).map((host) => `https://${host}/latest/`)
    let at = 0
    await net.serve("1.1.1.1", (_, response) => response.writeHead(307, { location: locations[at] }).end())
    for (; at < locations.length; at++) {
      expect([locations[at], (await refusal({ url: "https://one.example/" }, options)).code]).toEqual([
        locations[at],
        "blocked"
      ])
    }
    expect(new Set(net.dialled)).toEqual(new Set(["1.1.1.1:443"]))
    expect(locations).toHaveLength(50)
  })
})
