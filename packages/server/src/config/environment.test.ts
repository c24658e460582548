import { describe, expect, it } from "vitest"
import { describeEnvironment, Misconfigured, readEnvironment } from "./environment.ts"

describe("ORGPLANE_WEBHOOK_SECRET", () => {
  const secretsOf = (value: string) => readEnvironment({ ORGPLANE_WEBHOOK_SECRET: value }).options.webhookSecrets

  it("is one secret, or two by a comma or a line break", () => {
    const [one, two] = ["the first secret of all", "the second secret of all"]
    expect(secretsOf(one)).toEqual([one])
    for (const text of [`${one},${two}`, `${one}\n${two}`, ` ${one} , ${two}\r\n`])
      expect(secretsOf(text)).toEqual([one, two])
    expect(readEnvironment({}).options.webhookSecrets).toBeUndefined()
  })

  it.each(["short", "a secret that is long enough,short", "a".repeat(20) + ",b".repeat(20), "a,b,c"])(
    "is refused with a sentence that does not tell it: %s",
    (value) => {
      expect(() => secretsOf(value)).toThrow(Misconfigured)
      expect(() => secretsOf(value)).toThrow(
        "ORGPLANE_WEBHOOK_SECRET must be one or two secrets of 16 characters or more."
      )
    }
  )

  it("is told only as set", () => {
    expect(describeEnvironment({ ORGPLANE_WEBHOOK_SECRET: "the first secret of all" })).toContain(
      "ORGPLANE_WEBHOOK_SECRET = (set)"
    )
  })
})

describe("ORGPLANE_RECONCILE_SECONDS", () => {
  it("is a number of seconds, 900 unless told, 0 for never", () => {
    const secondsOf = (value?: string) =>
      readEnvironment(value === undefined ? {} : { ORGPLANE_RECONCILE_SECONDS: value }).options.reconcileSeconds
    expect([secondsOf(), secondsOf("60"), secondsOf("0")]).toEqual([900, 60, 0])
    for (const value of ["-1", "1.5", "soon", "604801"]) expect(() => secondsOf(value)).toThrow(Misconfigured)
  })
})

describe("ORGPLANE_DNS_SERVERS", () => {
  const serversOf = (value: string) => readEnvironment({ ORGPLANE_DNS_SERVERS: value }).options.dnsServers

  it("is a list of addresses, with ports where they are not 53", () => {
    const servers = ["127.0.0.1:5353", "10.0.0.53", "[2001:db8::1]:53", "[2001:db8::1]", "2001:db8::1"]
    expect(serversOf(servers.join(" , "))).toEqual(servers)
    expect(readEnvironment({}).options.dnsServers).toBeUndefined()
  })

  it.each([
    "dns.example",
    "localhost:53",
    "10.0.0",
    "10.0.0.53:0",
    "10.0.0.53:65536",
    "10.0.0.53:",
    "[10.0.0.1]:53",
    "2001:db8::1:port",
    "1.1.1.1,x"
  ])("is refused with a sentence: %s", (value) => {
    expect(() => serversOf(value)).toThrow(
      "ORGPLANE_DNS_SERVERS must list addresses like 10.0.0.53, 127.0.0.1:5353 or [2001:db8::1]:53."
    )
  })
})
