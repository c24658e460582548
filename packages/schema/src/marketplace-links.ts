/** Marketplace links: URLs that give an agent read access to one marketplace without an authentication header. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { MarketplaceManifest } from "./marketplace-manifest.ts"
import { MarketplaceNotFound } from "./marketplaces.ts"
import { archiveDescription, PluginArchiveNotFound } from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { createdResponse, NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound, RateLimited, Unavailable } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

const members = {
  id: Ids.MarketplaceLinkId,
  marketplaceId: Ids.MarketplaceId,
  name: Schema.String,
  orgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
    description: "The member whose access the link uses. Null for a team's link."
  }),
  teamId: Schema.NullOr(Ids.TeamId).annotate({
    description: "The team whose access the link uses. Null for a member's link."
  }),
  createdByOrgMembershipId: Ids.OrgMembershipId,
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "When the link was last used. Accurate to the hour." }),
  revokedAt: Schema.NullOr(Timestamp)
}

export const MarketplaceLink = Schema.Struct(members).annotate({ identifier: "MarketplaceLink" })
export type MarketplaceLink = typeof MarketplaceLink.Type

export const MarketplaceLinkWithUrl = Schema.Struct({
  ...members,
  url: Schema.String.annotate({
    description: "The URL to pass to `claude plugin marketplace add`. It contains the token and is returned only once."
  }),
  minimumClientVersion: Schema.String.annotate({
    description:
      "The oldest version of Claude Code that can install the plugins. Older versions do not support zip archives."
  })
}).annotate({ identifier: "MarketplaceLinkWithUrl" })

export const CreateMarketplaceLink = Schema.Struct({
  name: Text(1, 120).annotate({ description: "A label for the link, such as the device that uses it." }),
  teamId: Schema.optionalKey(
    Schema.NullOr(Ids.TeamId).annotate({
      description:
        "The team whose access the link uses. Only managers of the marketplace can set it. Default: your own access."
    })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(
      Text(1, 40).annotate({
        format: "date-time",
        description: "When the link expires: a date-time in the future, with an offset or `Z`. Default: never."
      })
    )
  )
}).annotate({ identifier: "CreateMarketplaceLink" })

export class MarketplaceLinkNotFound extends notFound("marketplace_link")<MarketplaceLinkNotFound>() {}
export class MarketplaceLinkQuotaExceeded extends conflict(
  "quota_exceeded",
  "The marketplace already has 500 active links. Revoke one first."
)<MarketplaceLinkQuotaExceeded>() {}

/** The token of a link. A malformed token gets the same response as an unknown one. */
export const LinkToken = Schema.String.annotate({
  identifier: "MarketplaceLinkToken",
  description: "The token of a marketplace link."
})

const at = "/v1/marketplaces/:marketplaceId/links"
const one = { marketplaceId: Ids.MarketplaceId }
const read = Access.permission("marketplaces:read")

export const endpoints = [
  HttpApiEndpoint.post("createLink", at, {
    params: one,
    payload: CreateMarketplaceLink,
    success: createdResponse(MarketplaceLinkWithUrl),
    error: [MarketplaceNotFound, MarketplaceLinkQuotaExceeded]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "marketplace.create_link",
      holdsSecret: true,
      idempotency: "fact",
      summary: "Create a marketplace link",
      description:
        "The link gives an agent read access to the marketplace. Anyone with the link can read the marketplace and its plugins with your access, or with a team's; access is checked on each request. Only managers of the marketplace can create a link for a team. A link is valid until it expires or is revoked, or until its creator leaves the organization. API keys cannot create links."
    })
  ),
  HttpApiEndpoint.get("listLinks", at, {
    params: one,
    query: pageQuery,
    success: Page(MarketplaceLink),
    error: MarketplaceNotFound
  }).pipe(
    endpointMetadata({
      access: read,
      paged: true,
      summary: "List the links of a marketplace",
      description:
        "Managers of the marketplace see all links; other members see their own. Revoked and expired links are included."
    })
  ),
  HttpApiEndpoint.delete("revokeLink", `${at}/:linkId`, {
    params: { ...one, linkId: Ids.MarketplaceLinkId },
    success: NoContent,
    error: [MarketplaceNotFound, MarketplaceLinkNotFound]
  }).pipe(
    endpointMetadata({
      access: read,
      audited: "marketplace.revoke_link",
      summary: "Revoke a marketplace link",
      description: "You can revoke your own links; managers of the marketplace can revoke any link."
    })
  ),
  HttpApiEndpoint.get("manifestLinked", "/v1/marketplace-links/:token/marketplace.json", {
    params: { token: LinkToken },
    success: MarketplaceManifest,
    error: [MarketplaceLinkNotFound, RateLimited, Unavailable]
  }).pipe(
    endpointMetadata({
      access: Access.anyone,
      versioned: true,
      summary: "Get a marketplace through a marketplace link",
      description:
        "Requires no credential. Returns the plugins that the link's member or team can see now. Plugins are zip archives; their URLs contain the same token and are valid for as long as the link is."
    })
  ),
  HttpApiEndpoint.get("downloadLinked", "/v1/marketplace-links/:token/plugins/:pluginId", {
    params: { token: LinkToken, pluginId: Ids.PluginId },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/zip" }),
    error: [MarketplaceLinkNotFound, PluginArchiveNotFound, RateLimited, Unavailable]
  }).pipe(
    endpointMetadata({
      access: Access.anyone,
      versioned: true,
      summary: "Download a plugin through a marketplace link",
      description: archiveDescription
    })
  )
] as const
