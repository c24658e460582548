import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { forAnyone, forSignedIn } from "../../infra/http/handlers.ts"
import { BootstrapService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "bootstrap",
  Effect.fn(function* (handlers) {
    const bootstrap = yield* BootstrapService
    return handlers.handleAll({
      workspace: forAnyone((caller, { payload, request }) =>
        bootstrap.workspace(caller, payload, request.headers["x-bootstrap-token"])
      ),
      previewClaim: forAnyone((caller, { payload }) => bootstrap.previewClaim(caller, payload.token)),
      acceptClaim: forSignedIn((caller, { payload }) => bootstrap.acceptClaim(caller, payload))
    })
  })
)
