import { OrgplaneApi } from "@orgplane/schema/api"
import type { DirectoryCaller } from "@orgplane/schema/shared/caller"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import { forDirectory } from "../../infra/http/handlers.ts"
import { type JsonObject, ScimFault } from "../../infra/scim/language/index.ts"
import { ScimLog } from "../../infra/scim/log.ts"
import { idOf, newGroup, newUser, patchedGroup, patchedUser, replacedGroup, replacedUser } from "./bodies.ts"
import { readBulk } from "./bulk-request.ts"
import { ScimBulk } from "./bulk-service.ts"
import { resourceTypeOf, resourceTypesOf, schemaOf, schemasOf, serviceProviderConfig } from "./discovery.ts"
import { absent, errorOf } from "./faults.ts"
import type { Row as GroupRow } from "./groups-repo.ts"
import { ScimGroups } from "./groups-service.ts"
import { listResponse, type Listed } from "./lists.ts"
import { bodyOf, type ListQuery, listQueryOf, type ListText, type Projection, searchOf } from "./query.ts"
import { ScimReader } from "./reader.ts"
import { type Asked, ScimUsers } from "./users-service.ts"
import type { Row as UserRow } from "./users-repo.ts"
import { etagOf, names } from "./versions.ts"

const mediaType = "application/scim+json"

const response = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: mediaType, headers })
const nothing = (status: 204 | 304, headers: Record<string, string> = {}) =>
  HttpServerResponse.empty({ status, headers })

const refusal = ({ detail, scimType, status }: ScimFault) =>
  response(errorOf(status, detail, scimType), status, status === 429 ? { "retry-after": "5" } : {})

interface Asking<Query> {
  readonly query: Query
}

type Answering<R = never> = Effect.Effect<HttpServerResponse.HttpServerResponse, ScimFault | SqlError, R>

/** Runs a handler and converts its SCIM errors to responses. Authentication logs rejected requests. */
const spoken = <Request, R>(
  handle: (
    caller: DirectoryCaller,
    asked: Asked & { readonly headers: HttpServerRequest.HttpServerRequest["headers"] },
    request: Request
  ) => Answering<R>
) =>
  forDirectory((caller, request: Request) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }) =>
      handle(caller, { method, path: url, headers }, request)
    ).pipe(Effect.catchTag("ScimFault", (fault) => Effect.succeed(refusal(fault))))
  )

export const layer = HttpApiBuilder.group(
  OrgplaneApi,
  "scimProtocol",
  Effect.fn(function* (handlers) {
    const users = yield* ScimUsers
    const groups = yield* ScimGroups
    const reader = yield* ScimReader
    const bulk = yield* ScimBulk
    const log = yield* ScimLog
    const { baseUrl } = reader

    /** Discovery endpoints return constants and reject filters (RFC 7644, 4). */
    const discovered = <Request>(found: (request: Request) => unknown) =>
      spoken((caller, asked, request: Request) =>
        Effect.gen(function* () {
          if (/[?&]filter=/i.test(asked.path)) {
            return yield* new ScimFault({ status: 403, detail: "Filters are not supported on discovery endpoints." })
          }
          const document = found(request)
          if (document === undefined) return yield* absent()
          yield* log.note(caller, { method: asked.method, path: asked.path, status: 200, decision: "read" })
          return response(document)
        })
      )
    const allOf = (resources: ReadonlyArray<JsonObject>) => listResponse(1, { resources, total: resources.length })

    const shownUser = (
      caller: DirectoryCaller,
      row: UserRow,
      projection: Projection,
      { ifNoneMatch, status = 200 }: { readonly status?: 200 | 201; readonly ifNoneMatch?: string | undefined } = {}
    ) =>
      Effect.map(reader.user(caller, row, projection, status === 201), ({ hasGroups, resource }) => {
        const head = { etag: etagOf(row.version), location: `${baseUrl}/Users/${row.id}` }
        // A user's groups can change without a new version of the user.
        return ifNoneMatch !== undefined && !hasGroups && names(ifNoneMatch, row.version)
          ? nothing(304, { etag: head.etag })
          : response(resource, status, head)
      })

    const shownGroup = (caller: DirectoryCaller, row: GroupRow, projection: Projection, status: 200 | 201 = 200) =>
      Effect.map(reader.group(caller, row, projection), (resource) =>
        response(resource, status, { etag: etagOf(row.version), location: `${baseUrl}/Groups/${row.id}` })
      )

    type List = (caller: DirectoryCaller, asked: Asked, query: ListQuery) => Effect.Effect<Listed, ScimFault | SqlError>
    const listed = (list: List) =>
      spoken((caller, asked, { query }: Asking<ListText>) =>
        Effect.flatMap(listQueryOf(query), (asking) =>
          Effect.map(list(caller, asked, asking), (found) => response(listResponse(asking.startIndex, found)))
        )
      )
    const searched = (list: List) =>
      spoken((caller, asked) =>
        Effect.flatMap(Effect.flatMap(bodyOf, searchOf), (asking) =>
          Effect.map(list(caller, asked, asking), (found) => response(listResponse(asking.startIndex, found)))
        )
      )

    /** Validated before any change, so that a rejected request has no effect. */
    const judgedProjection = (type: "User" | "Group", projection: Projection) => reader.selected(type, projection)

    type OfUser = { readonly params: { readonly scimUserId: string } }
    type OfGroup = { readonly params: { readonly scimGroupId: string } }

    return handlers.handleAll({
      getServiceProviderConfig: discovered(() => serviceProviderConfig(baseUrl)),
      listResourceTypes: discovered(() => allOf(resourceTypesOf(baseUrl))),
      getResourceType: discovered(({ params }: { readonly params: { readonly resourceType: string } }) =>
        resourceTypeOf(baseUrl, params.resourceType)
      ),
      listSchemas: discovered(() => allOf(schemasOf(baseUrl))),
      getSchema: discovered(({ params }: { readonly params: { readonly schema: string } }) =>
        schemaOf(baseUrl, params.schema)
      ),
      getMe: spoken(() =>
        Effect.fail(new ScimFault({ status: 501, detail: "Not supported: SCIM tokens do not represent a user." }))
      ),
      listUsers: listed(reader.listUsers),
      searchUsers: searched(reader.listUsers),
      listGroups: listed(reader.listGroups),
      searchGroups: searched(reader.listGroups),
      search: searched(reader.listAll),
      createUser: spoken((caller, asked, { query }: Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const row = yield* users.create(caller, asked, yield* newUser(yield* bodyOf))
          return yield* shownUser(caller, row, query, { status: 201 })
        })
      ),
      getUser: spoken((caller, asked, { params, query }: OfUser & Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const row = yield* users.get(caller, asked, yield* idOf(params.scimUserId))
          return yield* shownUser(caller, row, query, { ifNoneMatch: asked.headers["if-none-match"] })
        })
      ),
      replaceUser: spoken((caller, asked, { params, query }: OfUser & Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const body = yield* bodyOf
          const row = yield* users.change(caller, asked, yield* idOf(params.scimUserId), replacedUser(body))
          return yield* shownUser(caller, row, query)
        })
      ),
      updateUser: spoken((caller, asked, { params, query }: OfUser & Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const body = yield* bodyOf
          const row = yield* users.change(caller, asked, yield* idOf(params.scimUserId), patchedUser(body))
          return yield* shownUser(caller, row, query)
        })
      ),
      removeUser: spoken((caller, asked, { params }: OfUser) =>
        Effect.as(
          Effect.flatMap(idOf(params.scimUserId), (id) => users.remove(caller, asked, id)),
          nothing(204)
        )
      ),
      createGroup: spoken((caller, asked, { query }: Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const row = yield* groups.create(caller, asked, yield* newGroup(yield* bodyOf))
          return yield* shownGroup(caller, row, query, 201)
        })
      ),
      getGroup: spoken((caller, asked, { params, query }: OfGroup & Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const row = yield* groups.get(caller, asked, yield* idOf(params.scimGroupId))
          const known = asked.headers["if-none-match"]
          return known !== undefined && names(known, row.version)
            ? nothing(304, { etag: etagOf(row.version) })
            : yield* shownGroup(caller, row, query)
        })
      ),
      replaceGroup: spoken((caller, asked, { params, query }: OfGroup & Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const body = yield* bodyOf
          const row = yield* groups.change(caller, asked, yield* idOf(params.scimGroupId), replacedGroup(body), 200)
          return yield* shownGroup(caller, row, query)
        })
      ),
      updateGroup: spoken((caller, asked, { params, query }: OfGroup & Asking<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const body = yield* bodyOf
          // The members of a large group are returned only on request.
          const isShown = query.attributes !== undefined || query.excludedAttributes !== undefined
          const id = yield* idOf(params.scimGroupId)
          const row = yield* groups.change(caller, asked, id, patchedGroup(body), isShown ? 200 : 204)
          return isShown ? yield* shownGroup(caller, row, query) : nothing(204, { etag: etagOf(row.version) })
        })
      ),
      removeGroup: spoken((caller, asked, { params }: OfGroup) =>
        Effect.as(
          Effect.flatMap(idOf(params.scimGroupId), (id) => groups.remove(caller, asked, id)),
          nothing(204)
        )
      ),
      bulk: spoken((caller) =>
        Effect.flatMap(Effect.flatMap(bodyOf, readBulk), (request) => bulk.run(caller, request)).pipe(
          Effect.map((done) => response(done)),
          Effect.catchTag("RateLimited", () =>
            Effect.succeed(response(errorOf(429, "Too many requests. No operation was performed."), 429))
          )
        )
      )
    })
  })
).pipe(Layer.provide(ScimBulk.layer), Layer.provide([ScimUsers.layer, ScimGroups.layer, ScimReader.layer]))
