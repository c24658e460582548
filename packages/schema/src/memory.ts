/** The memory bank of a person: what they confirmed to be remembered, found again by a question in their own words. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, Forbidden, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

export const memoryOrigins = ["active_conversation", "searched_conversation"] as const

const members = {
  id: Ids.MemoryId,
  organizationId: Ids.OrganizationId.annotate({ description: "Where it was saved." }),
  content: Schema.String,
  tags: Schema.Array(Schema.String),
  source: Schema.String.annotate({ description: "What saved it, as the server knows it: `chat`." }),
  scope: Schema.String.annotate({ description: "Always `user`: a memory is its person's alone." }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}

export const Memory = Schema.Struct(members).annotate({ identifier: "Memory" })
export type Memory = typeof Memory.Type

export const FoundMemory = Schema.Struct({
  ...members,
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
    description: "How much of the question the memory answers, from 0 to 1. Comparable within one search only."
  })
}).annotate({ identifier: "FoundMemory" })
export type FoundMemory = typeof FoundMemory.Type

/** Where a memory comes from. */
export const MemoryContext = Schema.Struct({
  snippet: Text(1, 4000).annotate({ description: "What was said; searched too." }),
  conversation_id: Schema.optionalKey(Text(1, 255)),
  message_id: Schema.optionalKey(Text(1, 255)),
  origin: Schema.optionalKey(Schema.Literals(memoryOrigins))
}).annotate({ identifier: "MemoryContext" })
export type MemoryContext = typeof MemoryContext.Type

/** One memory with where it comes from. */
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
  content: Text(1, 8000).annotate({ description: "What to remember, as the person confirmed it." }),
  tags: Schema.optionalKey(
    Schema.Array(Text(1, 64))
      .check(Schema.isMaxLength(32))
      .annotate({ description: "Words to find it by; the same tag twice is kept once." })
  ),
  contexts: Schema.optionalKey(
    Schema.Array(MemoryContext).check(Schema.isMaxLength(16)).annotate({ description: "Where it was said." })
  )
}).annotate({ identifier: "SaveMemory" })

export class MemoryNotFound extends notFound("memory")<MemoryNotFound>() {}
export class MemoryQuotaExceeded extends conflict(
  "quota_exceeded",
  "Your memory in this organization is full: delete what you no longer need."
)<MemoryQuotaExceeded>() {}

const where = {
  organization: Schema.optionalKey(
    Schema.Literals(["current", "all"]).annotate({
      description:
        "`all` looks at every organization the person is a member of now; only sessions by e-mail code may. `current` unless told."
    })
  ),
  tag: Schema.optionalKey(Text(1, 64).annotate({ description: "Only memories with this tag, in any case." }))
}

const one = { memoryId: Text(1, 255).annotate({ description: "Identifies one memory." }) }
const at = "/v1/memory/:memoryId"
const MemoryAnswer = Schema.Struct({ memory: Memory })
const own = Access.session

export const group = HttpApiGroup.make("memory")
  .annotateMerge(
    OpenApi.annotations({
      title: "Memory",
      description:
        "What a person had remembered. Nobody else ever sees it: no owner, no admin, no API key, no export of the organization."
    })
  )
  .add(
    HttpApiEndpoint.post("save", "/v1/memory", {
      payload: SaveMemory,
      success: MemoryAnswer.pipe(HttpApiSchema.status(201)),
      error: MemoryQuotaExceeded
    }).pipe(
      endpointMetadata({
        access: own,
        audited: "memory.save",
        specified: true,
        summary: "Saves a memory that the calling person confirmed.",
        description:
          "The server sets source and scope, whatever is sent. A person has at most 10 000 memories in an organization."
      })
    ),
    HttpApiEndpoint.get("search", "/v1/memory/search", {
      query: {
        q: Text(1, 512).annotate({
          description: "A question or words, in any script; spelling mistakes are forgiven."
        }),
        limit: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })).annotate({
            description: "At most so many results; 20 unless told."
          })
        ),
        ...where
      },
      success: Schema.Struct({ results: Schema.Array(FoundMemory) }),
      error: Forbidden
    }).pipe(
      endpointMetadata({
        access: own,
        specified: true,
        summary: "Searches the calling person's memories, the most relevant first.",
        description:
          "Looks at content, tags and snippets. Nothing that matches is an empty list, whatever the text. Equals stand newest first."
      })
    ),
    HttpApiEndpoint.get("export", "/v1/memory/export", {
      query: { organization: where.organization },
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
      error: Forbidden
    }).pipe(
      endpointMetadata({
        access: own,
        holdsSecret: true,
        summary: "Streams the calling person's memories with their contexts, as NDJSON.",
        description:
          "Lines of `{ kind, item }`: first `memories` with what was asked for, then each `memory`, newest first. The last line is `end` with the count of the others."
      })
    ),
    HttpApiEndpoint.get("list", "/v1/memory", {
      query: { ...pageQuery, ...where },
      success: Page(Memory),
      error: Forbidden
    }).pipe(endpointMetadata({ access: own, paged: true, summary: "Lists the calling person's memories." })),
    HttpApiEndpoint.get("get", at, {
      params: one,
      success: Schema.Struct({ memory: WholeMemory }),
      error: MemoryNotFound
    }).pipe(
      endpointMetadata({ access: own, summary: "Gets one memory of the calling person, with where it comes from." })
    ),
    HttpApiEndpoint.delete("delete", at, { params: one, success: Done, error: MemoryNotFound }).pipe(
      endpointMetadata({
        access: own,
        audited: "memory.delete",
        summary: "Deletes a memory, at once and for good."
      })
    ),
    HttpApiEndpoint.delete("deleteAll", "/v1/memory", { success: Done }).pipe(
      endpointMetadata({
        access: own,
        audited: "memory.delete_all",
        summary: "Deletes every memory the calling person has in the organization, at once and for good."
      })
    )
  )
