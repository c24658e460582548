/** Links by which an agent reads one marketplace without a header. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { MarketplaceManifest } from "./marketplace-manifest.ts"
import { MarketplaceNotFound } from "./marketplaces.ts"
import { described, PluginArchiveNotFound } from "./plugin-archives.ts"
import * as Access from "./shared/auth.ts"
import { created, Done, manners } from "./shared/endpoint.ts"
import { conflict, notFound, RateLimited, Unavailable } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

const members = {
  id: Ids.MarketplaceLinkId,
  marketplaceId: Ids.MarketplaceId,
  name: Schema.String,
  orgMembershipId: Schema.NullOr(Ids.OrgMembershipId).annotate({
    description: "The member whose access the link has; null for the link of a team."
  }),
  teamId: Schema.NullOr(Ids.TeamId).annotate({ description: "The team whose access the link has." }),
  createdByOrgMembershipId: Ids.OrgMembershipId,
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp).annotate({ description: "Accurate to the hour." }),
  revokedAt: Schema.NullOr(Timestamp)
}

export const MarketplaceLink = Schema.Struct(members).annotate({ identifier: "MarketplaceLink" })
export type MarketplaceLink = typeof MarketplaceLink.Type

export const MarketplaceLinkWithUrl = Schema.Struct({
  ...members,
  url: Schema.String.annotate({
    description: "What `claude plugin marketplace add` takes. It holds the token and is returned only once."
  }),
  minimumClientVersion: Schema.String.annotate({
    description: "Older versions of Claude Code cannot read the marketplace's plugins: they know no zip archives."
  })
}).annotate({ identifier: "MarketplaceLinkWithUrl" })

export const CreateMarketplaceLink = Schema.Struct({
  name: Text(1, 120).annotate({ description: "A name to recognize the link by." }),
  teamId: Schema.optionalKey(
    Schema.NullOr(Ids.TeamId).annotate({ description: "The team whose access the link has. Default: your own access." })
  ),
  expiresAt: Schema.optionalKey(
    Schema.NullOr(
      Text(1, 40).annotate({
        format: "date-time",
        description: "In the future, with an offset or Z. Default: the link does not expire."
      })
    )
  )
}).annotate({ identifier: "CreateMarketplaceLink" })

export class MarketplaceLinkNotFound extends notFound("marketplace_link")<MarketplaceLinkNotFound>() {}
export class MarketplaceLinkQuotaExceeded extends conflict(
  "quota_exceeded",
  "The marketplace has 500 links that are in use. Revoke one first."
)<MarketplaceLinkQuotaExceeded>() {}

/** The token of a link. A malformed one is answered as an unknown one. */
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
    success: created(MarketplaceLinkWithUrl),
    error: [MarketplaceNotFound, MarketplaceLinkQuotaExceeded]
  }).pipe(
    manners({
      access: read,
      audited: "marketplace.create_link",
      holdsSecret: true,
      idempotency: "fact",
      summary: "Create a link by which an agent reads the marketplace.",
      description:
        "Whoever has the link reads the marketplace and its plugins with your access, or with a team's; the access is checked at each request. A link for a team needs a manager of the marketplace. A link ends when it expires or is revoked, and when the member who created it leaves. API keys cannot create links."
    })
  ),
  HttpApiEndpoint.get("listLinks", at, {
    params: one,
    query: pageQuery,
    success: Page(MarketplaceLink),
    error: MarketplaceNotFound
  }).pipe(
    manners({
      access: read,
      paged: true,
      summary: "List the links of a marketplace.",
      description: "Managers of the marketplace see all links, others see their own. Revoked links are included."
    })
  ),
  HttpApiEndpoint.delete("revokeLink", `${at}/:linkId`, {
    params: { ...one, linkId: Ids.MarketplaceLinkId },
    success: Done,
    error: [MarketplaceNotFound, MarketplaceLinkNotFound]
  }).pipe(
    manners({
      access: read,
      audited: "marketplace.revoke_link",
      summary: "Revoke a link of a marketplace.",
      description: "You can revoke your own links; managers of the marketplace can revoke all."
    })
  ),
  HttpApiEndpoint.get("manifestLinked", "/v1/marketplace-links/:token/marketplace.json", {
    params: { token: LinkToken },
    success: MarketplaceManifest,
    error: [MarketplaceLinkNotFound, RateLimited, Unavailable]
  }).pipe(
    manners({
      access: Access.anyone,
      versioned: true,
      summary: "Get a marketplace by its link, without a credential.",
      description:
        "Returns what the member or team of the link can see now. Plugins are linked as zip archives, by the same token: their URLs work as long as the link does."
    })
  ),
  HttpApiEndpoint.get("downloadLinked", "/v1/marketplace-links/:token/plugins/:pluginId", {
    params: { token: LinkToken, pluginId: Ids.PluginId },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/zip" }),
    error: [MarketplaceLinkNotFound, PluginArchiveNotFound, RateLimited, Unavailable]
  }).pipe(
    manners({
      access: Access.anyone,
      versioned: true,
      summary: "Download a plugin of a marketplace by its link, as a zip.",
      description: described
    })
  )
] as const
