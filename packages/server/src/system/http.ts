import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import { SigningKeys } from "../crypto/signing-keys.ts"
import { Settings } from "../config/settings.ts"
import { forAnyone } from "../http/handlers.ts"
import { Stopping } from "../http/stopping.ts"
import { SqlDatabase } from "../sql/client.ts"
import { canWrite, hasSpace, isPrimary } from "../sql/health.ts"
import { contentSecurityPolicy, docsPage } from "./docs-page.ts"

const checkSeconds = 2

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "system",
  Effect.fn(function* (handlers) {
    const sql = yield* SqlDatabase
    const settings = yield* Settings
    const signingKeys = yield* SigningKeys
    const stopping = yield* Stopping
    let made: Record<string, never> | undefined
    let page: string | undefined
    const document = () => (made ??= OpenApi.fromApi(OrgplaneApi) as unknown as Record<string, never>)

    const holds = <E>(check: Effect.Effect<boolean, E>) =>
      check.pipe(
        Effect.timeout(`${checkSeconds} seconds`),
        Effect.match({
          onSuccess: (isGood) => (isGood ? ("ok" as const) : ("failed" as const)),
          onFailure: () => "failed" as const
        })
      )

    return handlers.handleAll({
      health: () => Effect.succeed({ status: "ok" as const }),
      ready: () =>
        Effect.gen(function* () {
          const { disk } = settings
          const space = disk === null ? Effect.undefined : holds(hasSpace(disk.directory, disk.bytesMin))
          const checked = yield* Effect.all(
            {
              database: holds(isPrimary(sql)),
              queue: holds(Effect.as(sql`SELECT 1 AS one FROM effect_queue LIMIT 1`, true)),
              writes: holds(canWrite(sql)),
              disk: space
            },
            { concurrency: "unbounded" }
          )
          const checks = {
            database: checked.database,
            queue: checked.queue,
            writes: checked.writes,
            ...(checked.disk === undefined ? {} : { disk: checked.disk })
          }
          return Object.values(checks).every((check) => check === "ok") && !stopping.requested
            ? { status: "ready" as const, checks }
            : { status: "not_ready" as const, checks }
        }),
      version: () =>
        Effect.succeed({
          name: "orgplane" as const,
          version: settings.version,
          api: "v1" as const,
          schemaVersion: settings.schemaVersion
        }),
      keys: () => Effect.map(Effect.orDie(signingKeys.list), (keys) => ({ keys })),
      openapi: () => Effect.sync(document),
      docs: forAnyone((caller) => {
        caller.request.head["content-security-policy"] = contentSecurityPolicy
        return Effect.sync(() => (page ??= docsPage(document())))
      })
    })
  })
)
