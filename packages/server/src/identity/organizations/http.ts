import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, forSignedIn, withEtag } from "../../infra/http/handlers.ts"
import { download } from "../../infra/http/lines.ts"
import { OrganizationsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "organizations",
  Effect.fn(function* (handlers) {
    const organizations = yield* OrganizationsService
    return handlers.handleAll({
      create: forSignedIn((caller, { payload }) => organizations.create(caller, payload)),
      get: forMember((caller) =>
        Effect.map(organizations.get(caller), (organization) => ({ organization: withEtag(caller, organization) }))
      ),
      update: forMember((caller, { payload }) =>
        Effect.map(organizations.update(caller, payload), (organization) => ({
          organization: withEtag(caller, organization)
        }))
      ),
      remove: forMember((caller) => organizations.remove(caller)),
      transferOwnership: forMember((caller, { payload }) => organizations.transferOwnership(caller, payload)),
      getStorage: forMember((caller) => Effect.map(organizations.getStorage(caller), (storage) => ({ storage }))),
      export: forMember((caller) =>
        Effect.map(organizations.exported(caller), (lines) => download(lines, "organization.ndjson"))
      )
    })
  })
).pipe(Layer.provide(OrganizationsService.layer))
