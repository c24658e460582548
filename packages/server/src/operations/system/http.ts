import { OrgplaneApi } from "@orgplane/schema/api"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as OpenApi from "effect/http-api/OpenApi"
import { SigningKeys } from "../../infra/crypto/signing-keys.ts"
import { Settings } from "../../infra/config/settings.ts"
import { forAnyone } from "../../infra/http/handlers.ts"
import { makeReadiness } from "./readiness.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "system",
  Effect.fn(function* (handlers) {
    const settings = yield* Settings
    const signingKeys = yield* SigningKeys
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

    const readiness = yield* makeReadiness

    const healthy = Effect.succeed({ status: "ok" as const })
    return handlers.handleAll({
      health: forAnyone(() => healthy),
      live: forAnyone(() => healthy),
      ready: () =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => readiness(headers["authorization"])),
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
