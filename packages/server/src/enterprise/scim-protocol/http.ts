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
import { ScimBulkService } from "./bulk-service.ts"
import { resourceTypeOf, resourceTypesOf, schemaOf, schemasOf, serviceProviderConfig } from "./discovery.ts"
import { notFound, errorOf } from "./faults.ts"
import type { Row as GroupRow } from "./groups-repo.ts"
import { ScimGroupsService } from "./groups-service.ts"
import { listResponse, type ListResult } from "./lists.ts"
import { bodyOf, type ListQuery, listQueryOf, type ListText, type Projection, searchOf } from "./query.ts"
import { ScimReader } from "./reader.ts"
import { type RequestLine, ScimUsersService } from "./users-service.ts"
import type { Row as UserRow } from "./users-repo.ts"
import { etagOf, names } from "./versions.ts"

const mediaType = "application/scim+json"

const response = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  HttpServerResponse.text(JSON.stringify(body), { status, contentType: mediaType, headers })
const nothing = (status: 204 | 304, headers: Record<string, string> = {}) =>
  HttpServerResponse.empty({ status, headers })

const refusal = ({ detail, scimType, status }: ScimFault) =>
  response(errorOf(status, detail, scimType), status, status === 429 ? { "retry-after": "5" } : {})

interface WithQuery<Query> {
  readonly query: Query
}

type HandlerEffect = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  ScimFault | SqlError,
  HttpServerRequest.HttpServerRequest
>

/** Runs a handler and converts its SCIM errors to responses. Authentication logs rejected requests. */
const scimHandler = <Request>(
  handle: (
    caller: DirectoryCaller,
    requestLine: RequestLine & { readonly headers: HttpServerRequest.HttpServerRequest["headers"] },
    request: Request
  ) => HandlerEffect
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
    const users = yield* ScimUsersService
    const groups = yield* ScimGroupsService
    const reader = yield* ScimReader
    const bulk = yield* ScimBulkService
    const log = yield* ScimLog
    const { baseUrl } = reader

    /** Discovery endpoints return constants and reject filters (RFC 7644, 4). */
    const discoveryHandler = <Request>(documentOf: (request: Request) => unknown) =>
      scimHandler((caller, requestLine, request: Request) =>
        Effect.gen(function* () {
          if (/[?&]filter=/i.test(requestLine.path)) {
            return yield* new ScimFault({ status: 403, detail: "Filters are not supported on discovery endpoints." })
          }
          const document = documentOf(request)
          if (document === undefined) return yield* notFound()
          yield* log.note(caller, { method: requestLine.method, path: requestLine.path, status: 200, decision: "read" })
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
        const headers = { etag: etagOf(row.version), location: `${baseUrl}/Users/${row.id}` }
        // A user's groups can change without a new version of the user.
        return ifNoneMatch !== undefined && !hasGroups && names(ifNoneMatch, row.version)
          ? nothing(304, { etag: headers.etag })
          : response(resource, status, headers)
      })

    const shownGroup = (caller: DirectoryCaller, row: GroupRow, projection: Projection, status: 200 | 201 = 200) =>
      Effect.map(reader.group(caller, row, projection), (resource) =>
        response(resource, status, { etag: etagOf(row.version), location: `${baseUrl}/Groups/${row.id}` })
      )

    type List = (
      caller: DirectoryCaller,
      requestLine: RequestLine,
      query: ListQuery
    ) => Effect.Effect<ListResult, ScimFault | SqlError>
    const listHandler = (list: List) =>
      scimHandler((caller, requestLine, { query }: WithQuery<ListText>) =>
        Effect.flatMap(listQueryOf(query), (listQuery) =>
          Effect.map(list(caller, requestLine, listQuery), (result) =>
            response(listResponse(listQuery.startIndex, result))
          )
        )
      )
    const searchHandler = (list: List) =>
      scimHandler((caller, requestLine) =>
        Effect.flatMap(Effect.flatMap(bodyOf, searchOf), (listQuery) =>
          Effect.map(list(caller, requestLine, listQuery), (result) =>
            response(listResponse(listQuery.startIndex, result))
          )
        )
      )

    /** Validated before any change, so that a rejected request has no effect. */
    const judgedProjection = (type: "User" | "Group", projection: Projection) => reader.selected(type, projection)

    type OfUser = { readonly params: { readonly scimUserId: string } }
    type OfGroup = { readonly params: { readonly scimGroupId: string } }

    return handlers.handleAll({
      getServiceProviderConfig: discoveryHandler(() => serviceProviderConfig(baseUrl)),
      listResourceTypes: discoveryHandler(() => allOf(resourceTypesOf(baseUrl))),
      getResourceType: discoveryHandler(({ params }: { readonly params: { readonly resourceType: string } }) =>
        resourceTypeOf(baseUrl, params.resourceType)
      ),
      listSchemas: discoveryHandler(() => allOf(schemasOf(baseUrl))),
      getSchema: discoveryHandler(({ params }: { readonly params: { readonly schema: string } }) =>
        schemaOf(baseUrl, params.schema)
      ),
      getMe: scimHandler(() =>
        Effect.fail(new ScimFault({ status: 501, detail: "Not supported: SCIM tokens do not represent a user." }))
      ),
      listUsers: listHandler(reader.listUsers),
      searchUsers: searchHandler(reader.listUsers),
      listGroups: listHandler(reader.listGroups),
      searchGroups: searchHandler(reader.listGroups),
      search: searchHandler(reader.listAll),
      createUser: scimHandler((caller, requestLine, { query }: WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const row = yield* users.create(caller, requestLine, yield* newUser(yield* bodyOf))
          return yield* shownUser(caller, row, query, { status: 201 })
        })
      ),
      getUser: scimHandler((caller, requestLine, { params, query }: OfUser & WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const row = yield* users.get(caller, requestLine, yield* idOf(params.scimUserId))
          return yield* shownUser(caller, row, query, { ifNoneMatch: requestLine.headers["if-none-match"] })
        })
      ),
      replaceUser: scimHandler((caller, requestLine, { params, query }: OfUser & WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const body = yield* bodyOf
          const row = yield* users.change(caller, requestLine, yield* idOf(params.scimUserId), replacedUser(body))
          return yield* shownUser(caller, row, query)
        })
      ),
      updateUser: scimHandler((caller, requestLine, { params, query }: OfUser & WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("User", query)
          const body = yield* bodyOf
          const row = yield* users.change(caller, requestLine, yield* idOf(params.scimUserId), patchedUser(body))
          return yield* shownUser(caller, row, query)
        })
      ),
      removeUser: scimHandler((caller, requestLine, { params }: OfUser) =>
        Effect.as(
          Effect.flatMap(idOf(params.scimUserId), (id) => users.remove(caller, requestLine, id)),
          nothing(204)
        )
      ),
      createGroup: scimHandler((caller, requestLine, { query }: WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const row = yield* groups.create(caller, requestLine, yield* newGroup(yield* bodyOf))
          return yield* shownGroup(caller, row, query, 201)
        })
      ),
      getGroup: scimHandler((caller, requestLine, { params, query }: OfGroup & WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const row = yield* groups.get(caller, requestLine, yield* idOf(params.scimGroupId))
          const ifNoneMatch = requestLine.headers["if-none-match"]
          return ifNoneMatch !== undefined && names(ifNoneMatch, row.version)
            ? nothing(304, { etag: etagOf(row.version) })
            : yield* shownGroup(caller, row, query)
        })
      ),
      replaceGroup: scimHandler((caller, requestLine, { params, query }: OfGroup & WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const body = yield* bodyOf
          const row = yield* groups.change(
            caller,
            requestLine,
            yield* idOf(params.scimGroupId),
            replacedGroup(body),
            200
          )
          return yield* shownGroup(caller, row, query)
        })
      ),
      updateGroup: scimHandler((caller, requestLine, { params, query }: OfGroup & WithQuery<Projection>) =>
        Effect.gen(function* () {
          yield* judgedProjection("Group", query)
          const body = yield* bodyOf
          // The members of a large group are returned only on request.
          const isShown = query.attributes !== undefined || query.excludedAttributes !== undefined
          const id = yield* idOf(params.scimGroupId)
          const row = yield* groups.change(caller, requestLine, id, patchedGroup(body), isShown ? 200 : 204)
          return isShown ? yield* shownGroup(caller, row, query) : nothing(204, { etag: etagOf(row.version) })
        })
      ),
      removeGroup: scimHandler((caller, requestLine, { params }: OfGroup) =>
        Effect.as(
          Effect.flatMap(idOf(params.scimGroupId), (id) => groups.remove(caller, requestLine, id)),
          nothing(204)
        )
      ),
      bulk: scimHandler((caller) =>
        Effect.flatMap(Effect.flatMap(bodyOf, readBulk), (request) => bulk.run(caller, request)).pipe(
          Effect.map((done) => response(done)),
          Effect.catchTag("RateLimited", () =>
            Effect.succeed(response(errorOf(429, "Too many requests. No operation was performed."), 429))
          )
        )
      )
    })
  })
).pipe(
  Layer.provide(ScimBulkService.layer),
  Layer.provide([ScimUsersService.layer, ScimGroupsService.layer, ScimReader.layer])
)
