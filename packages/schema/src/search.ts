/** Search: finds objects of several kinds by a part of their name. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { endpointMetadata } from "./shared/endpoint.ts"
import { Text } from "./shared/values.ts"

/** The kinds of object that are searched, in the order in which they are returned. */
export const searchKinds = [
  "plugin",
  "configObject",
  "marketplace",
  "connectorInstance",
  "mcpConnection",
  "member",
  "team",
  "template",
  "role",
  "apiKey",
  "desktopPolicy",
  "worker",
  "llmProvider"
] as const
export const SearchKind = Schema.Literals(searchKinds).annotate({ identifier: "SearchKind" })
export type SearchKind = typeof SearchKind.Type

export const searchLimitMax = 20
export const searchLimitDefault = 5

export const SearchResult = Schema.Struct({
  kind: SearchKind,
  id: Schema.String,
  name: Schema.String.annotate({
    description: "The name, or the title of a config object. For a member without a name: the email address, or the id."
  }),
  detail: Schema.NullOr(Schema.String).annotate({
    description:
      "The email address of a member, the type of a config object, the repository of a connector, the URL of an MCP connection or LLM provider, the hint of an API key, or else the description, in at most 300 characters. Null if there is none."
  })
}).annotate({ identifier: "SearchResult" })
export type SearchResult = typeof SearchResult.Type

export const group = HttpApiGroup.make("search")
  .annotateMerge(OpenApi.annotations({ title: "Search", description: "Find objects of several kinds by name." }))
  .add(
    HttpApiEndpoint.get("objects", "/v1/search", {
      query: {
        q: Text(1, 255).annotate({
          description: "Part of a name or title, or of the email address of a member. Case-insensitive."
        }),
        kind: Schema.optionalKey(SearchKind.annotate({ description: "Only objects of this kind." })),
        limit: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: searchLimitMax })).annotate({
            description: `Maximum number of objects of each kind. Default: ${searchLimitDefault}.`
          })
        )
      },
      success: Schema.Struct({
        items: Schema.Array(SearchResult),
        truncated: Schema.Boolean.annotate({
          description: "Whether more objects of a kind match. Use the list of the kind to get all of them."
        })
      })
    }).pipe(
      endpointMetadata({
        access: Access.member,
        summary: "Search objects by name",
        description:
          "Searches the objects that the caller can see: each kind requires the permission of its list, and kinds without it are left out. Archived objects and revoked API keys are not found. Names that equal the text come first, then names that start with it, then the others; within these, in the order of the kinds, newest first."
      })
    )
  )
