import type { Resolution } from "@orgplane/schema/mcp-resolve"
import type { Member } from "@orgplane/schema/shared/caller"
import { Unavailable } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { PageQuery } from "@orgplane/schema/shared/page"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { retryAfter } from "../../infra/http/retry-after.ts"
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { AuthorizationDiscovery } from "../oauth/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { McpServers, type McpTarget } from "../../infra/ports/mcp-servers.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { type Candidate, candidatesMax, parseQuery, suggestedName } from "./candidates.ts"
import {
  attemptOf,
  blockedText,
  type Finding,
  timedOut,
  olderTransport,
  type Outcome,
  outcomeOf,
  outcomeOfInfo,
  toDiscovery,
  lineOf
} from "./discovery.ts"
import { inspectPage } from "./page.ts"
import type { KnownServer } from "./preset-list.ts"
import { presetsFrom, toListed, toPreset } from "./presets.ts"

const candidateMillis = 8_000
const searchMillis = 15_000
const closeMillis = 1_000
/** The minimum timeout of a request. A shorter one does not suffice for a TLS handshake. */
const requestMillisMin = 250

/** Concurrent searches per organization and per process; further ones wait up to `queueMillis`. */
const searchesPerOrganization = 3
const searchesPerProcess = 12
const queueMillis = 30_000
const retryAfterSeconds = 10

const noneResponded = "No MCP server responded at the addresses that were tried."
const tooBusy = "Some addresses were not tried, because too many requests are in progress. Try again later."

interface ProbedCandidate {
  readonly candidate: Candidate
  /** The final URL, which differs from the candidate after a redirect. */
  readonly url: string
  readonly outcome: Outcome
}

/** Finds the MCP server for a user's query. Creates nothing, stores nothing, and sends no credentials. */
export class McpResolveService extends Context.Service<McpResolveService>()(
  "@orgplane/server/mcp-connections/McpResolveService",
  {
    make: Effect.gen(function* () {
      const servers = yield* McpServers
      const outbound = yield* Outbound
      const authorization = yield* AuthorizationDiscovery
      const limiter = yield* RateLimiter
      const pages = yield* Pages
      const processSlots = yield* Semaphore.make(searchesPerProcess)
      const organizationSlots = yield* RcMap.make<Id<"org">, Semaphore.Semaphore, never, never>({
        lookup: () => Semaphore.make(searchesPerOrganization)
      })

      /** A slot for one search, held until the scope closes. */
      const acquireSlot = (caller: Member) => {
        const acquire = (semaphore: Semaphore.Semaphore) =>
          Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })
        return RcMap.get(organizationSlots, caller.organizationId).pipe(
          Effect.flatMap(acquire),
          Effect.andThen(acquire(processSlots)),
          Effect.timeoutOrElse({
            duration: queueMillis,
            orElse: () => Effect.fail(retryAfter(new Unavailable(), retryAfterSeconds))
          })
        )
      }

      const listPresets = (caller: Member, query: PageQuery & { readonly q?: string }) =>
        pages.listBy(caller, query, {
          filters: query.q ?? null,
          rows: (after, limit) => Effect.succeed(presetsFrom(query.q, after, limit)),
          idOf: ({ key }) => key,
          toWire: ({ server }) => toListed(server)
        })

      const targetOf = (organizationId: Id<"org">, url: string): McpTarget => ({
        url,
        organizationId,
        credential: null
      })

      /** The time left, minus the time to close a session properly. */
      const millisUntil = (endsAtMillis: number) =>
        Effect.map(Clock.currentTimeMillis, (now) => Math.max(requestMillisMin, endsAtMillis - now - closeMillis))

      const probe = (organizationId: Id<"org">, url: string, endsAtMillis: number) =>
        Effect.flatMap(millisUntil(endsAtMillis), (millis) =>
          servers
            .probe(targetOf(organizationId, url), millis)
            .pipe(Effect.match({ onSuccess: outcomeOfInfo, onFailure: outcomeOf }))
        )

      const probeUntil = Effect.fnUntraced(function* (
        organizationId: Id<"org">,
        candidate: Candidate,
        endsAtMillis: number
      ) {
        const outcome = yield* probe(organizationId, candidate.url, endsAtMillis)
        if (outcome.kind !== "nothing" || !outcome.mayBeElsewhere) return { candidate, url: candidate.url, outcome }
        const page = yield* inspectPage(outbound, {
          url: candidate.url,
          organizationId,
          timeoutMillis: yield* millisUntil(endsAtMillis)
        })
        if (page.kind === "older") return { candidate, url: candidate.url, outcome: olderTransport }
        if (page.kind === "other") return { candidate, url: candidate.url, outcome }
        const redirected = yield* probe(organizationId, page.url, endsAtMillis)
        return { candidate, url: page.url, outcome: redirected }
      })

      /** Probes for a server at the URL or at the target of its redirect. */
      const probeCandidate = Effect.fnUntraced(function* (organizationId: Id<"org">, candidate: Candidate) {
        const endsAtMillis = (yield* Clock.currentTimeMillis) + candidateMillis
        const probed: ProbedCandidate = yield* probeUntil(organizationId, candidate, endsAtMillis).pipe(
          Effect.timeoutOrElse({
            duration: candidateMillis,
            orElse: () => Effect.succeed({ candidate, url: candidate.url, outcome: timedOut })
          })
        )
        return probed
      })

      /** The server's authorization metadata, or the reason why there is none. */
      const inspect = (organizationId: Id<"org">, url: string, challenge: string | null, millis: number) =>
        authorization
          .inspect({
            url,
            organizationId,
            timeoutMillis: Math.max(requestMillisMin, millis),
            ...(challenge === null ? {} : { challenge })
          })
          .pipe(Effect.result)

      /** The tools that the server lists without a credential. */
      const listTools = (organizationId: Id<"org">, url: string, millis: number) =>
        servers.listTools(targetOf(organizationId, url)).pipe(
          Effect.result,
          Effect.timeoutOrElse({
            duration: Math.max(requestMillisMin, millis),
            orElse: () => Effect.succeed(null)
          })
        )

      /**
       * The result for a candidate that responded; undefined if the response is inconclusive. Many sites return 401, so
       * a 401 counts only if the user entered the URL, or if there is authentication metadata or a Bearer challenge.
       */
      const findingOf = Effect.fnUntraced(function* (
        organizationId: Id<"org">,
        { candidate, outcome, url }: ProbedCandidate,
        endsAtMillis: number
      ) {
        const millisLeft = Effect.map(Clock.currentTimeMillis, (now) => endsAtMillis - now)
        const isRedirected = url !== candidate.url
        if (outcome.kind === "nothing") return undefined
        if (outcome.kind === "older") {
          const finding: Finding = { url, isRedirected, isOlder: true, info: null, tools: null, authorization: null }
          return finding
        }
        if (outcome.kind === "server") {
          const tools = outcome.info.hasTools ? yield* listTools(organizationId, url, yield* millisLeft) : null
          const failure = tools?._tag === "Failure" ? outcomeOf(tools.failure) : undefined
          const authentication =
            failure?.kind === "asks" ? yield* inspect(organizationId, url, failure.challenge, yield* millisLeft) : null
          const finding: Finding = {
            url,
            isRedirected,
            isOlder: false,
            info: outcome.info,
            tools,
            authorization: authentication
          }
          return finding
        }
        const authentication = yield* inspect(organizationId, url, outcome.challenge, yield* millisLeft)
        const hasMetadata =
          authentication._tag === "Success" &&
          (authentication.success.usable !== null || authentication.success.resource !== null)
        if (!candidate.typed && !hasMetadata && !/^\s*bearer\b/iu.test(outcome.challenge ?? "")) return undefined
        const finding: Finding = {
          url,
          isRedirected,
          isOlder: false,
          info: null,
          tools: null,
          authorization: authentication
        }
        return finding
      })

      /** The first matching candidate in list order, regardless of which one responded first. */
      const search = Effect.fnUntraced(function* (organizationId: Id<"org">, candidates: ReadonlyArray<Candidate>) {
        const endsAtMillis = (yield* Clock.currentTimeMillis) + searchMillis
        const probed = yield* Effect.forEach(candidates, (candidate) => probeCandidate(organizationId, candidate), {
          concurrency: candidatesMax
        })
        let finding: Finding | undefined
        for (const candidate of probed) {
          if (finding !== undefined || (yield* Clock.currentTimeMillis) >= endsAtMillis) break
          finding = yield* findingOf(organizationId, candidate, endsAtMillis)
        }
        return { probed, finding }
      })

      const response = (
        preset: KnownServer | undefined,
        probed: ReadonlyArray<ProbedCandidate>,
        finding: Finding | undefined
      ) => {
        const typed = probed.filter(({ candidate }) => candidate.typed)
        // Every blocked address, in any notation, gets the same response, so that hosts cannot be distinguished.
        const isBlocked =
          finding === undefined &&
          preset === undefined &&
          typed.length > 0 &&
          typed.every(({ outcome }) => outcome.kind === "nothing" && outcome.isBlocked)
        const attempts = isBlocked
          ? []
          : probed.map(({ candidate, outcome, url }) => attemptOf(candidate.url, url, outcome))
        const isBusy = probed.some(({ outcome }) => outcome.kind === "nothing" && outcome.isBusy)
        const reason = isBlocked ? blockedText : isBusy ? tooBusy : noneResponded
        const resolution: Resolution = {
          resolution: preset !== undefined ? "preset" : finding !== undefined ? "discovered" : "not_found",
          attempted: isBlocked ? [blockedText] : attempts.map(lineOf),
          attempts,
          reason: finding !== undefined ? null : reason,
          ...(preset === undefined ? {} : { preset: toPreset(preset) }),
          ...(finding === undefined
            ? {}
            : {
                match: {
                  url: finding.url,
                  suggestedName: preset?.displayName ?? suggestedName(finding.url),
                  discovery: toDiscovery(finding, preset)
                }
              })
        }
        return resolution
      }

      const resolve = Effect.fnUntraced(function* (caller: Member, query: string) {
        yield* limiter.take(caller.request, limits.mcpResolve, caller.organizationId)
        // An unclaimed workspace must not be usable to send unlimited requests to other hosts.
        if (caller.provisional) {
          yield* limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId)
        }
        const parsed = parseQuery(query)
        if (parsed.kind === "nothing") {
          const resolution: Resolution = { resolution: "not_found", attempted: [], attempts: [], reason: parsed.reason }
          return resolution
        }
        const { probed, finding } = yield* Effect.scoped(
          Effect.andThen(acquireSlot(caller), search(caller.organizationId, parsed.candidates))
        )
        return response(parsed.kind === "preset" ? parsed.preset : undefined, probed, finding)
      })

      return { listPresets, resolve } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
