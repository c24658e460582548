import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forAnyone, forMember, forSignedIn } from "../../infra/http/handlers.ts"
import { InvitationsService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "invitations",
  Effect.fn(function* (handlers) {
    const invitations = yield* InvitationsService
    return handlers.handleAll({
      create: forMember((caller, { payload }) => invitations.create(caller, payload)),
      batch: forMember((caller, { payload }) => invitations.batch(caller, payload)),
      list: forMember((caller, { query }) => invitations.list(caller, query)),
      get: forMember((caller, { params }) => invitations.get(caller, params.invitationId)),
      resend: forMember((caller, { params }) => invitations.resend(caller, params.invitationId)),
      cancel: forMember((caller, { params }) => invitations.cancel(caller, params.invitationId)),
      preview: forAnyone((caller, { payload }) => invitations.preview(caller, payload.token)),
      accept: forSignedIn((caller, { payload }) => invitations.accept(caller, payload.token))
    })
  })
).pipe(Layer.provide(InvitationsService.layer))
