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
import { limits, RateLimiter } from "../../infra/limits/index.ts"
import { AuthorizationDiscovery } from "../oauth/index.ts"
import { Pages } from "../../infra/pages/index.ts"
import { McpServers, type McpTarget } from "../../infra/ports/mcp-servers.ts"
import { Outbound } from "../../infra/ports/outbound.ts"
import { type Candidate, candidatesMax, readQuery, suggestedName } from "./candidates.ts"
import {
  blockedText,
  type Finding,
  noAnswer,
  olderTransport,
  type Outcome,
  outcomeOf,
  outcomeOfInfo,
  toDiscovery,
  traceOf
} from "./discovery.ts"
import { lookAtPage } from "./page.ts"
import type { KnownServer } from "./preset-list.ts"
import { presetsFrom, toListed, toPreset } from "./presets.ts"

const candidateMillis = 8_000
const wholeMillis = 15_000
const endingMillis = 1_000
/** Less is no use to a server that has to be asked over TLS. */
const askMillisMin = 250

/** Of one organization as many searches as its outbound places serve; further ones wait their turn, so long at most. */
const searchesPerOrganization = 3
const searchesPerProcess = 12
const turnMillis = 30_000
const turnSeconds = "10"

const noneAnswered = "No MCP server answered at the addresses that were tried."
const tooBusy = "Not every address could be asked, because too many requests are under way: try again later."

interface Asked {
  readonly candidate: Candidate
  /** Where it is, which is not the candidate when that sent us on. */
  readonly url: string
  readonly outcome: Outcome
}

/** From what people type to an MCP server. Registers, stores and creates nothing, and sends no credential anywhere. */
export class ResolveService extends Context.Service<ResolveService>()(
  "@orgplane/server/mcp-connections/ResolveService",
  {
    make: Effect.gen(function* () {
      const servers = yield* McpServers
      const outbound = yield* Outbound
      const authorization = yield* AuthorizationDiscovery
      const limiter = yield* RateLimiter
      const pages = yield* Pages
      const all = yield* Semaphore.make(searchesPerProcess)
      const own = yield* RcMap.make<Id<"org">, Semaphore.Semaphore, never, never>({
        lookup: () => Semaphore.make(searchesPerOrganization)
      })

      /** A place for one search, until the scope closes. */
      const place = (caller: Member) => {
        const held = (semaphore: Semaphore.Semaphore) =>
          Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })
        return RcMap.get(own, caller.organizationId).pipe(
          Effect.flatMap(held),
          Effect.andThen(held(all)),
          Effect.timeoutOrElse({
            duration: turnMillis,
            orElse: () => {
              caller.request.responseHeaders["retry-after"] = turnSeconds
              return Effect.fail(new Unavailable())
            }
          })
        )
      }

      const listPresets = (caller: Member, query: PageQuery & { readonly q?: string }) =>
        pages.read(
          { operation: "mcpConnections.listPresets", organizationId: caller.organizationId, filters: query.q ?? null },
          query,
          (after, limit) => Effect.succeed(presetsFrom(query.q, after, limit)),
          ({ key }) => key,
          ({ server }) => toListed(server)
        )

      const targetOf = (organizationId: Id<"org">, url: string): McpTarget => ({
        url,
        organizationId,
        credential: null
      })

      /** Until when, less what it takes to end a session properly. */
      const millisUntil = (endsAtMillis: number) =>
        Effect.map(Clock.currentTimeMillis, (now) => Math.max(askMillisMin, endsAtMillis - now - endingMillis))

      const probe = (organizationId: Id<"org">, url: string, endsAtMillis: number) =>
        Effect.flatMap(millisUntil(endsAtMillis), (millis) =>
          servers
            .probe(targetOf(organizationId, url), millis)
            .pipe(Effect.match({ onSuccess: outcomeOfInfo, onFailure: outcomeOf }))
        )

      const askUntil = Effect.fnUntraced(function* (
        organizationId: Id<"org">,
        candidate: Candidate,
        endsAtMillis: number
      ) {
        const outcome = yield* probe(organizationId, candidate.url, endsAtMillis)
        if (outcome.kind !== "nothing" || !outcome.mayBeElsewhere) return { candidate, url: candidate.url, outcome }
        const page = yield* lookAtPage(outbound, {
          url: candidate.url,
          organizationId,
          timeoutMillis: yield* millisUntil(endsAtMillis)
        })
        if (page.kind === "older") return { candidate, url: candidate.url, outcome: olderTransport }
        if (page.kind === "other") return { candidate, url: candidate.url, outcome }
        const there = yield* probe(organizationId, page.url, endsAtMillis)
        return { candidate, url: page.url, outcome: there }
      })

      /** Asks whether there is a server: at the address, or where it sends us. */
      const ask = Effect.fnUntraced(function* (organizationId: Id<"org">, candidate: Candidate) {
        const endsAtMillis = (yield* Clock.currentTimeMillis) + candidateMillis
        const asked: Asked = yield* askUntil(organizationId, candidate, endsAtMillis).pipe(
          Effect.timeoutOrElse({
            duration: candidateMillis,
            orElse: () => Effect.succeed({ candidate, url: candidate.url, outcome: noAnswer })
          })
        )
        return asked
      })

      /** What its authorization servers say; a failure is a finding too. */
      const inspect = (organizationId: Id<"org">, url: string, challenge: string | null, millis: number) =>
        authorization
          .inspect({
            url,
            organizationId,
            timeoutMillis: Math.max(askMillisMin, millis),
            ...(challenge === null ? {} : { challenge })
          })
          .pipe(Effect.result)

      /** The tools that it shows to anybody. */
      const lookAtTools = (organizationId: Id<"org">, url: string, millis: number) =>
        servers.listTools(targetOf(organizationId, url)).pipe(
          Effect.result,
          Effect.timeoutOrElse({
            duration: Math.max(askMillisMin, millis),
            orElse: () => Effect.succeed(null)
          })
        )

      /**
       * What a candidate is, of those that gave any sign of one; undefined when the sign was none. A 401 alone is what
       * many a site answers: it counts when the address was typed, or when something says how to get in.
       */
      const look = Effect.fnUntraced(function* (
        organizationId: Id<"org">,
        { candidate, outcome, url }: Asked,
        endsAtMillis: number
      ) {
        const left = Effect.map(Clock.currentTimeMillis, (now) => endsAtMillis - now)
        const isRedirected = url !== candidate.url
        if (outcome.kind === "nothing") return undefined
        if (outcome.kind === "older") {
          const finding: Finding = { url, isRedirected, isOlder: true, info: null, tools: null, authorization: null }
          return finding
        }
        if (outcome.kind === "server") {
          const tools = outcome.info.hasTools ? yield* lookAtTools(organizationId, url, yield* left) : null
          const refused = tools?._tag === "Failure" ? outcomeOf(tools.failure) : undefined
          const way =
            refused?.kind === "asks" ? yield* inspect(organizationId, url, refused.challenge, yield* left) : null
          const finding: Finding = { url, isRedirected, isOlder: false, info: outcome.info, tools, authorization: way }
          return finding
        }
        const way = yield* inspect(organizationId, url, outcome.challenge, yield* left)
        const saysHow = way._tag === "Success" && (way.success.usable !== null || way.success.resource !== null)
        if (!candidate.typed && !saysHow && !/^\s*bearer\b/iu.test(outcome.challenge ?? "")) return undefined
        const finding: Finding = { url, isRedirected, isOlder: false, info: null, tools: null, authorization: way }
        return finding
      })

      /** The best candidate by the order in which they are likely, whichever answered first. */
      const search = Effect.fnUntraced(function* (organizationId: Id<"org">, candidates: ReadonlyArray<Candidate>) {
        const endsAtMillis = (yield* Clock.currentTimeMillis) + wholeMillis
        const asked = yield* Effect.forEach(candidates, (candidate) => ask(organizationId, candidate), {
          concurrency: candidatesMax
        })
        let found: Finding | undefined
        for (const one of asked) {
          if (found !== undefined || (yield* Clock.currentTimeMillis) >= endsAtMillis) break
          found = yield* look(organizationId, one, endsAtMillis)
        }
        return { asked, found }
      })

      const response = (preset: KnownServer | undefined, asked: ReadonlyArray<Asked>, found: Finding | undefined) => {
        const typed = asked.filter(({ candidate }) => candidate.typed)
        // One answer for whatever may not be reached, however it was written: it must not tell one host from another.
        const isBlocked =
          found === undefined &&
          preset === undefined &&
          typed.length > 0 &&
          typed.every(({ outcome }) => outcome.kind === "nothing" && outcome.isBlocked)
        const attempted = isBlocked
          ? [blockedText]
          : asked.map(({ candidate, outcome, url }) => traceOf(candidate.url, url, outcome))
        const isBusy = asked.some(({ outcome }) => outcome.kind === "nothing" && outcome.isBusy)
        const whyNot = isBlocked ? blockedText : isBusy ? tooBusy : noneAnswered
        const resolution: Resolution = {
          resolution: preset !== undefined ? "preset" : found !== undefined ? "discovered" : "not_found",
          attempted,
          reason: found !== undefined ? null : whyNot,
          ...(preset === undefined ? {} : { preset: toPreset(preset) }),
          ...(found === undefined
            ? {}
            : {
                match: {
                  url: found.url,
                  suggestedName: preset?.displayName ?? suggestedName(found.url),
                  discovery: toDiscovery(found, preset)
                }
              })
        }
        return resolution
      }

      const resolve = Effect.fnUntraced(function* (caller: Member, query: string) {
        yield* limiter.take(caller.request, limits.mcpResolve, caller.organizationId)
        // A workspace that nobody has claimed is no way to have other hosts asked without end.
        if (caller.provisional) {
          yield* limiter.take(caller.request, limits.provisionalOutbound, caller.organizationId)
        }
        const reading = readQuery(query)
        if (reading.kind === "nothing") {
          const nothing: Resolution = { resolution: "not_found", attempted: [], reason: reading.reason }
          return nothing
        }
        const { asked, found } = yield* Effect.scoped(
          Effect.andThen(place(caller), search(caller.organizationId, reading.candidates))
        )
        return response(reading.kind === "preset" ? reading.preset : undefined, asked, found)
      })

      return { listPresets, resolve } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
