import { OrgplaneApi } from "@orgplane/schema/api"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { forMember } from "../../infra/http/handlers.ts"
import { download } from "../../infra/http/lines.ts"
import { MemoryService } from "./service.ts"

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "memory",
  Effect.fn(function* (handlers) {
    const memory = yield* MemoryService
    return handlers.handleAll({
      save: forMember((caller, { payload }) => memory.save(caller, payload)),
      search: forMember((caller, { query }) => memory.search(caller, query)),
      export: forMember((caller, { query }) =>
        Effect.map(memory.exportLines(caller, query), (lines) => download(lines, "memories.ndjson"))
      ),
      list: forMember((caller, { query }) => memory.list(caller, query)),
      get: forMember((caller, { params }) => memory.get(caller, params.memoryId)),
      delete: forMember((caller, { params }) => memory.remove(caller, params.memoryId)),
      deleteAll: forMember((caller) => memory.removeAll(caller))
    })
  })
).pipe(Layer.provide(MemoryService.layer))
