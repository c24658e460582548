import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NODATA, NOTFOUND, Resolver } from "node:dns/promises"
import { DnsText, DnsTextFailed } from "../ports/dns-text.ts"
import { type GateLimits, makeGate } from "./gate.ts"

/** A question's first wait; every server is asked twice, the second time for longer. */
const questionMillis = 1_500
/** What one name may take in all, however many servers there are. */
const lookupMillisMax = 5_000
/** Whoever names domains of which no server answers has these places and no more. */
const places: GateLimits = {
  perOrganization: 10,
  perProcess: 32,
  waitingPerOrganization: 200,
  waitingPerProcess: 2000
}

/** Answers that say that there is nothing; whatever else goes wrong says nothing. */
const denials: ReadonlySet<unknown> = new Set([NODATA, NOTFOUND])

const codeOf = (cause: unknown) =>
  cause instanceof Error && "code" in cause && denials.has(cause.code) ? "missing" : "unavailable"

/**
 * TXT records as these name servers tell them, or the machine's own when none are named. An answer is bounded by the
 * protocol: it is 64 KiB at most.
 */
export const layerDnsText = (servers: ReadonlyArray<string>): Layer.Layer<DnsText> =>
  Layer.effect(
    DnsText,
    Effect.sync(() => {
      const gate = makeGate(places)
      const ask = (name: string) =>
        Effect.tryPromise({
          try: async (signal) => {
            // One for each name: giving up closes the sockets of this name's question alone.
            const resolver = new Resolver({ timeout: questionMillis, tries: 2 })
            if (servers.length > 0) resolver.setServers(servers)
            const cancel = (): void => resolver.cancel()
            signal.addEventListener("abort", cancel, { once: true })
            return await resolver.resolveTxt(name)
          },
          catch: (cause) => new DnsTextFailed({ code: codeOf(cause) })
        }).pipe(
          Effect.filterOrFail(
            (records) => records.length > 0,
            () => new DnsTextFailed({ code: "missing" })
          ),
          Effect.map((records) => records.map((strings) => strings.join("")))
        )
      // Waiting for a place counts against the time too.
      const lookup = Effect.fn("dns.text")((name: string, organizationId: string) =>
        Effect.acquireUseRelease(
          Effect.sync(() => gate.enter(organizationId)),
          (ticket) =>
            ticket === undefined
              ? Effect.fail(new DnsTextFailed({ code: "unavailable" }))
              : Effect.andThen(
                  Effect.promise(() => ticket.admitted),
                  ask(name)
                ),
          (ticket) => Effect.sync(() => ticket?.leave())
        ).pipe(
          Effect.timeoutOrElse({
            duration: lookupMillisMax,
            orElse: () => Effect.fail(new DnsTextFailed({ code: "unavailable" }))
          })
        )
      )
      return DnsText.of({ lookup })
    })
  )
