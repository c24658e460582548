/** Personal memories: saved after the user confirms them, and found by full-text search. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { StorageQuotaExceeded } from "./config-objects.ts"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, Forbidden, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const memoryOrigins = ["active_conversation", "searched_conversation"] as const

const members = {
  id: Ids.MemoryId,
  organizationId: Ids.OrganizationId.annotate({ description: "The organization in which it was saved." }),
  content: Schema.String,
  tags: Schema.Array(Schema.String),
  source: Schema.String.annotate({ description: "The source of the memory, set by the server: `chat`." }),
  scope: Schema.String.annotate({ description: "Always `user`: a memory is personal." }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}

export const Memory = Schema.Struct(members).annotate({ identifier: "Memory" })
export type Memory = typeof Memory.Type

export const MemorySearchResult = Schema.Struct({
  ...members,
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
    description: "How well the memory matches the query, from 0 to 1. Comparable only within one search."
  })
}).annotate({ identifier: "MemorySearchResult" })
export type MemorySearchResult = typeof MemorySearchResult.Type

/** The conversation that a memory comes from. */
export const MemoryContext = Schema.Struct({
  snippet: Text(1, 4000).annotate({ description: "The text from the conversation. Searches include it." }),
  conversation_id: Schema.optionalKey(Text(1, 255)),
  message_id: Schema.optionalKey(Text(1, 255)),
  origin: Schema.optionalKey(Schema.Literals(memoryOrigins))
}).annotate({ identifier: "MemoryContext" })
export type MemoryContext = typeof MemoryContext.Type

/** A memory with its contexts. */
export const WholeMemory = Schema.Struct({
  ...members,
  contexts: Schema.Array(
    Schema.Struct({
      snippet: Schema.String,
      conversation_id: Schema.NullOr(Schema.String),
      message_id: Schema.NullOr(Schema.String),
      origin: Schema.NullOr(Schema.Literals(memoryOrigins))
    }).annotate({ identifier: "SavedMemoryContext" })
  )
}).annotate({ identifier: "WholeMemory" })
export type WholeMemory = typeof WholeMemory.Type

export const SaveMemory = Schema.Struct({
  content: Text(1, 8000).annotate({ description: "The text to remember, as confirmed by the user." }),
  tags: Schema.optionalKey(
    Schema.Array(Text(1, 64))
      .check(Schema.isMaxLength(32))
      .annotate({ description: "Labels that searches and the `tag` filter match. Duplicate tags are stored once." })
  ),
  contexts: Schema.optionalKey(
    Schema.Array(MemoryContext)
      .check(Schema.isMaxLength(16))
      .annotate({ description: "The conversations that the memory comes from." })
  )
}).annotate({ identifier: "SaveMemory" })

export class MemoryNotFound extends notFound("memory")<MemoryNotFound>() {}
export class MemoryQuotaExceeded extends conflict(
  "quota_exceeded",
  "You have reached the limit of 10,000 memories or 100,000 indexed words in this organization. Delete memories that you no longer need."
)<MemoryQuotaExceeded>() {}

const scopeQuery = {
  organization: Schema.optionalKey(
    Schema.Literals(["current", "all"]).annotate({
      description:
        "`all` includes every organization that the user is currently a member of, except those where SSO is enforced for the user; it requires a session that was created with an email code. Default: `current`."
    })
  ),
  tag: Schema.optionalKey(Text(1, 64).annotate({ description: "Only memories with this tag. Case-insensitive." }))
}

const one = { memoryId: Text(1, 255).annotate({ description: "The id of the memory." }) }
const at = "/v1/memory/:memoryId"
const MemoryResponse = Schema.Struct({ memory: Memory })

export const group = HttpApiGroup.make("memory")
  .annotateMerge(
    OpenApi.annotations({
      title: "Memory",
      description:
        "Personal memories. Only the person who saved a memory can read it; owners, admins, API keys and organization exports cannot."
    })
  )
  .add(
    HttpApiEndpoint.post("save", "/v1/memory", {
      payload: SaveMemory,
      success: MemoryResponse.pipe(HttpApiSchema.status(201)),
      error: [MemoryQuotaExceeded, StorageQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "memory.save",
        specified: true,
        ignoresUnknown: ["scope", "source"],
        summary: "Save a memory",
        description:
          "The server sets `source` and `scope`; values in the request are ignored. Limit: 10,000 memories and 100,000 indexed words per user per organization."
      })
    ),
    HttpApiEndpoint.get("search", "/v1/memory/search", {
      query: {
        q: Text(1, 512).annotate({
          description: "A question or search terms, in any script. Typos are tolerated."
        }),
        limit: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
            description: "Maximum number of results. Default: 20."
          })
        ),
        ...scopeQuery
      },
      success: Schema.Struct({ results: Schema.Array(MemorySearchResult) }),
      error: Forbidden
    }).pipe(
      endpointMetadata({
        access: Access.session,
        specified: true,
        summary: "Search the caller's memories",
        description:
          "Searches content, tags and snippets. Best matches first; equal matches newest first. Returns an empty list if nothing matches the query."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/memory/export", {
      query: { organization: scopeQuery.organization },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
      error: Forbidden
    }).pipe(
      endpointMetadata({
        access: Access.session,
        holdsSecret: true,
        summary: "Export the caller's memories",
        description:
          "Streams NDJSON lines of `{ kind, item }`: first a `memories` line with the user id and the organization ids, then one `memory` line per memory with its contexts, newest first. The last line has the kind `end` and contains the number of preceding lines."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/memory", {
      query: { ...pageQuery, ...scopeQuery },
      success: Page(Memory),
      error: Forbidden
    }).pipe(endpointMetadata({ access: Access.session, paged: true, summary: "List the caller's memories" })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: Schema.Struct({ memory: WholeMemory }),
      error: MemoryNotFound
    }).pipe(
      endpointMetadata({ access: Access.session, summary: "Get a memory", description: "Includes its contexts." })
    ),
    HttpApiEndpoint.delete("delete", at, { params: one, success: NoContent, error: MemoryNotFound }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "memory.delete",
        summary: "Delete a memory",
        description: "Permanent and immediate."
      })
    ),
    HttpApiEndpoint.delete("deleteAll", "/v1/memory", { success: NoContent }).pipe(
      endpointMetadata({
        access: Access.session,
        audited: "memory.delete_all",
        summary: "Delete all of the caller's memories in the organization",
        description: "Permanent and immediate."
      })
    )
  )
