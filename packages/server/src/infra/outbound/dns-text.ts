import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { NODATA, NOTFOUND, Resolver } from "node:dns/promises"
import { DnsText, DnsTextFailed } from "../ports/dns-text.ts"
import { type GateLimits, makeGate } from "./gate.ts"

/** Timeout of a first query; every server is queried twice, the second time with a longer timeout. */
const queryMillis = 1_500
/** Timeout of one name, regardless of the number of servers. */
const lookupMillisMax = 5_000
/** Limits concurrent lookups per organization, for domains whose name servers do not respond. */
const lookupLimits: GateLimits = {
  perOrganization: 10,
  perProcess: 32,
  waitingPerOrganization: 200,
  waitingPerProcess: 2000
}

/** Errors that mean that there is no record. After other errors, it is unknown whether there is one. */
const denials: ReadonlySet<unknown> = new Set([NODATA, NOTFOUND])

const codeOf = (cause: unknown) =>
  cause instanceof Error && "code" in cause && denials.has(cause.code) ? "missing" : "unavailable"

/**
 * TXT records from these name servers, or from the system's resolver when none are configured. The protocol limits a
 * response to 64 KiB.
 */
export const layerDnsText = (servers: ReadonlyArray<string>): Layer.Layer<DnsText> =>
  Layer.effect(
    DnsText,
    Effect.sync(() => {
      const gate = makeGate(lookupLimits)
      const query = (name: string) =>
        Effect.tryPromise({
          try: async (signal) => {
            // One resolver per name, so that canceling closes only the sockets of this name's query.
            const resolver = new Resolver({ timeout: queryMillis, tries: 2 })
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
      // Waiting for admission counts toward the timeout.
      const lookup = Effect.fn("dns.text")((name: string, organizationId: string) =>
        Effect.acquireUseRelease(
          Effect.sync(() => gate.enter(organizationId)),
          (ticket) =>
            ticket === undefined
              ? Effect.fail(new DnsTextFailed({ code: "unavailable" }))
              : Effect.andThen(
                  Effect.promise(() => ticket.admitted),
                  query(name)
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
