/**
 * Domains that an organization adds and verifies. SSO and SCIM can sign in and provision users with email addresses in
 * its verified domains.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { NoContent, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** Maximum number of domains per organization. */
export const domainsMax = 50

// Entities

/** Why a domain could not be verified. */
export const domainFailures = ["dns_unavailable", "record_missing", "record_mismatch", "domain_taken"] as const
export const DomainFailure = Schema.Literals(domainFailures).annotate({
  identifier: "DomainFailure",
  description:
    "`dns_unavailable`: the DNS lookup failed or timed out. `record_missing`: the TXT record does not exist. `record_mismatch`: the TXT record has another value. `domain_taken`: another organization has verified the domain."
})
export type DomainFailure = typeof DomainFailure.Type

export const Domain = Schema.Struct({
  id: Ids.DomainId,
  organizationId: Ids.OrganizationId,
  domain: Schema.String.annotate({ description: "In lowercase ASCII; `xn--…` for internationalized domains." }),
  status: Schema.Literals(["pending", "verified", "lapsed"]).annotate({
    description:
      "`lapsed`: the domain was verified, but its record was missing or different in two checks a day apart. New users with email addresses in it cannot sign in through SSO or be provisioned until it is verified again."
  }),
  verification: Schema.Struct({
    type: Schema.Literal("TXT"),
    name: Schema.String.annotate({
      description: "The name of the record. A record at the domain itself is also accepted."
    }),
    value: Schema.String
  }),
  verifiedAt: Schema.NullOr(Timestamp),
  lastCheckedAt: Schema.NullOr(Timestamp),
  failure: Schema.NullOr(DomainFailure).annotate({
    description: "Why the last check failed. Null if it succeeded."
  }),
  failingSince: Schema.NullOr(Timestamp).annotate({
    description:
      "When the record of a verified domain was first found missing or different. If a check 24 hours later also fails, the domain lapses. Checks without a response from the name server do not count."
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Domain" })
export type Domain = typeof Domain.Type

// Requests

export const CreateDomain = Schema.Struct({
  domain: Text(3, 253).annotate({
    description: "The domain, such as `acme.com`. Public suffixes and domains of public email providers are rejected."
  })
}).annotate({ identifier: "CreateDomain" })

// Errors

export class DomainNotFound extends notFound("domain")<DomainNotFound>() {}
export class DomainQuotaExceeded extends conflict(
  "quota_exceeded",
  `The organization has reached its limit of ${domainsMax} domains. Remove one first.`
)<DomainQuotaExceeded>() {}
export class DomainExists extends conflict(
  "domain_exists",
  "The organization already has this domain."
)<DomainExists>() {}

// Operations

const one = { domainId: Ids.DomainId }
const at = "/v1/sso/domains/:domainId"
const read = Access.permission("sso:read")
const DomainResponse = Schema.Struct({ domain: Domain })

export const group = HttpApiGroup.make("ssoDomains")
  .annotateMerge(OpenApi.annotations({ title: "SSO domains", description: "Email domains and their verification." }))
  .add(
    HttpApiEndpoint.post("create", "/v1/sso/domains", {
      payload: CreateDomain,
      success: DomainResponse.pipe(HttpApiSchema.status(201)),
      error: [DomainExists, DomainQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: Access.permission("sso:write"),
        plan: "sso",
        audited: "domain.create",
        summary: "Add a domain",
        description: `Returns the TXT record that verifies the domain. Limit: ${domainsMax} domains per organization. Several organizations can add the same domain; it belongs to the first one that verifies it. Subdomains are separate domains.`
      })
    ),
    HttpApiEndpoint.get("list", "/v1/sso/domains", { query: pageQuery, success: Page(Domain) }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "List domains" })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: DomainResponse, error: DomainNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Get a domain" })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: NoContent, error: DomainNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("sso:manage"),
        audited: "domain.remove",
        summary: "Remove a domain",
        description:
          "New users with email addresses in it can no longer sign in through SSO or be provisioned. Existing members are kept."
      })
    ),
    HttpApiEndpoint.post("verify", "/v1/sso/verify-domain", { success: NoContent }).pipe(
      endpointMetadata({
        tag: "SSO",
        access: Access.session,
        plan: "sso",
        specified: true,
        idempotency: "none",
        audited: "domain.verify",
        summary: "Verify all unverified domains",
        description:
          'Checks the TXT records of all domains that are not verified. Returns 204 if all of them are verified or there are none to verify. Otherwise returns 400 with one detail per failed domain, with the `code` of the failure and the `path` `["domains", "<domain>"]`. The other domains are marked as verified. Returns `organization_not_found` if the organization has neither domains nor an SSO connection. Takes up to 15 seconds. Limit: 10 requests per minute per organization.'
      })
    )
  )
