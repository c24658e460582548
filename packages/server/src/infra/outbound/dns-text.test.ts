import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterAll, expect, it } from "vitest"
import { DnsText } from "../ports/dns-text.ts"
import { layerDnsText } from "./dns-text.ts"
import { NameServer, texts } from "./fixtures/name-server.ts"

const names = new NameServer()
await names.start()
afterAll(() => names.close())

it("limits the lookups of one organization, so that others are not delayed by unresponsive name servers", () =>
  Effect.gen(function* () {
    const dns = yield* DnsText
    names.zones.set("silent.example", () => undefined)
    names.zones.set("heard.example", texts(["a record"]))
    const silent = yield* Effect.forEach(Array.from({ length: 100 }), () =>
      Effect.forkChild(dns.lookup("silent.example", "org_loud"), { startImmediately: true })
    )
    expect(yield* dns.lookup("heard.example", "org_other")).toEqual(["a record"])
    expect(silent.every((fiber) => fiber.pollUnsafe() === undefined)).toBe(true)
    yield* Fiber.interruptAll(silent)
    // A canceled lookup releases its slot, or leaves the queue.
    expect(yield* dns.lookup("heard.example", "org_loud")).toEqual(["a record"])
  }).pipe(Effect.provide(layerDnsText(names.options.dnsServers ?? [])), Effect.runPromise))
