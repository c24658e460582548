/** The slots of deliveries, which are separate from those of other requests. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { LocalInternet } from "./fixtures/local-internet.ts"
import { type Ask, request, runWith } from "./fixtures/requests.ts"

const perOrganization = 160

let net: LocalInternet
beforeEach(() => {
  net = new LocalInternet()
  net.names.set("dead.example", ["1.1.1.1"])
  net.names.set("good.example", ["2.2.2.2"])
})
afterEach(() => net.close())

it("limits the deliveries of an organization that wait, and delays neither its other requests nor other organizations", async () => {
  let waiting = 0
  await net.serve(
    "1.1.1.1",
    () => {
      waiting += 1
    },
    "http"
  )
  await net.serve("2.2.2.2", (_, response) => response.end("ok"), "http")
  const dead: Ask = {
    url: "http://dead.example/",
    organizationId: "org_1",
    slots: "deliveries",
    timeoutMillis: 120_000
  }
  const good: Ask = { ...dead, url: "http://good.example/" }
  await runWith(
    Effect.gen(function* () {
      const fibers = yield* Effect.forEach(Array.from({ length: perOrganization + 10 }), () =>
        Effect.forkChild(Effect.exit(request(dead)))
      )
      yield* Effect.promise(() => vi.waitUntil(() => waiting === perOrganization, 60_000))
      const { slots: _, ...other } = good
      expect((yield* request(other)).status).toBe(200)
      expect((yield* request({ ...good, organizationId: "org_2" })).status).toBe(200)
      expect((yield* Effect.flip(request({ ...good, timeoutMillis: 1_000 }))).code).toBe("busy")
      expect(waiting).toBe(perOrganization)
      yield* Fiber.interruptAll(fibers)
    }),
    { ...net.options, allowHttp: true }
  )
})
