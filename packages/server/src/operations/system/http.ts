import { OrgplaneApi } from "@orgplane/schema/api"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import { Settings } from "../../infra/config/settings.ts"
import { forAnyone } from "../../infra/http/handlers.ts"
import { Stopping } from "../../infra/http/stopping.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { canWrite, hasSpace, isPrimary } from "../../infra/sql/health.ts"

const checkSeconds = 2
/** How long the result of a readiness check is cached. */
const readyMillis = 1000

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "system",
  Effect.fn(function* (handlers) {
    const sql = yield* SqlDatabase
    const settings = yield* Settings
    const signingKeys = yield* SigningKeys
    const stopping = yield* Stopping
    // The examples are large, and most servers never serve the document or the pages.
    const loadDocs = async () => {
      const [{ examples }, { withExamples }, { docsGroups, docsPage }, { contentSecurityPolicy }] = await Promise.all([
        import("@orgplane/schema/generated/examples"),
        import("@orgplane/schema/shared/openapi-examples"),
        import("./docs-page.ts"),
        import("./docs-script.ts")
      ])
      const plain = OpenApi.fromApi(OrgplaneApi)
      const document = withExamples({ ...plain }, examples) as Record<string, never>
      const groups = docsGroups(plain)
      const pages = new Map<string | undefined, string>()
      const pageOf = (group: string | undefined) => {
        const page = pages.get(group) ?? docsPage(plain, examples, group)
        pages.set(group, page)
        return page
      }
      return { document, groups, pageOf, contentSecurityPolicy }
    }
    let loaded: ReturnType<typeof loadDocs> | undefined
    const docs = Effect.promise(() => (loaded ??= loadDocs()))

    const holds = <E>(check: Effect.Effect<boolean, E>) =>
      check.pipe(
        Effect.timeout(`${checkSeconds} seconds`),
        Effect.match({
          onSuccess: (isGood) => (isGood ? ("ok" as const) : ("failed" as const)),
          onFailure: () => "failed" as const
        })
      )

    const check = Effect.gen(function* () {
      const { disk } = settings
      const space = disk === null ? Effect.undefined : holds(hasSpace(disk.directory, disk.bytesMin))
      const { disk: hasRoom, ...others } = yield* Effect.all(
        {
          database: holds(isPrimary(sql)),
          queue: holds(Effect.as(sql`SELECT 1 AS one FROM effect_queue LIMIT 1`, true)),
          writes: holds(canWrite(sql)),
          disk: space
        },
        { concurrency: "unbounded" }
      )
      return { ...others, ...(hasRoom === undefined ? {} : { disk: hasRoom }) }
    })
    const scope = yield* Effect.scope
    let last: { readonly at: number; readonly fiber: Fiber.Fiber<Effect.Success<typeof check>> } | undefined
    /**
     * Anyone can call this, and each check writes to the transaction pool, so one check per second serves all callers.
     */
    const readiness = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      if (last === undefined || at - last.at >= readyMillis) last = { at, fiber: yield* Effect.forkIn(check, scope) }
      const checks = yield* Fiber.join(last.fiber)
      const isReady = Object.values(checks).every((one) => one === "ok") && !stopping.requested
      return { status: isReady ? ("ready" as const) : ("not_ready" as const), checks }
    })

    const healthy = Effect.succeed({ status: "ok" as const })
    return handlers.handleAll({
      health: forAnyone(() => healthy),
      ready: () => readiness,
      version: () =>
        Effect.succeed({
          name: "orgplane" as const,
          version: settings.version,
          api: "v1" as const,
          schemaVersion: settings.schemaVersion
        }),
      keys: () => Effect.map(Effect.orDie(signingKeys.list), (keys) => ({ keys })),
      openapi: () => Effect.map(docs, ({ document }) => document),
      docs: forAnyone((caller, { query }) =>
        Effect.flatMap(docs, ({ contentSecurityPolicy, groups, pageOf }) => {
          if (query.group !== undefined && !groups.includes(query.group)) {
            return InvalidRequest.at(["query", "group"], `must be one of: ${groups.join(", ")}`)
          }
          caller.request.responseState.headers["content-security-policy"] = contentSecurityPolicy
          return Effect.succeed(pageOf(query.group))
        })
      )
    })
  })
)
