import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember, one } from "../../infra/http/handlers.ts"
import { formats } from "./lines.ts"
import { AuditService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "audit",
  Effect.fn(function* (handlers) {
    const audit = yield* AuditService
    return handlers.handleAll({
      list: forMember((caller, { query }) => audit.list(caller, query)),
      export: forMember((caller, { query }) => {
        const { format = "ndjson", ...filters } = query
        return Effect.map(audit.exported(caller, filters, format), (stream) =>
          HttpServerResponse.stream(stream, {
            contentType: formats[format],
            headers: { "content-disposition": `attachment; filename="audit-events.${format}"` }
          })
        )
      }),
      verify: forMember((caller, { query }) =>
        Effect.map(audit.verify(caller, query), (verification) => ({ verification }))
      ),
      checkpoints: forMember((caller, { query }) => audit.checkpoints(caller, query)),
      get: forMember((caller, { params }) => Effect.map(audit.get(caller, params.auditEventId), one))
    })
  })
).pipe(Layer.provide(AuditService.layer))
