/** Domains that an organization proves to own: whoever has an address there may be signed in or provisioned by it. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Access from "./shared/auth.ts"
import { Done, endpointMetadata } from "./shared/endpoint.ts"
import { conflict, notFound } from "./shared/errors.ts"
import * as Ids from "./shared/ids.ts"
import { Page, pageQuery } from "./shared/page.ts"
import { Text, Timestamp } from "./shared/values.ts"

/** Domains that an organization may have. */
export const domainsMax = 50

// Entities

/** Why the proof of a domain did not hold. */
export const domainFailures = ["dns_unavailable", "record_missing", "record_mismatch", "domain_taken"] as const
export const DomainFailure = Schema.Literals(domainFailures).annotate({
  identifier: "DomainFailure",
  description:
    "`dns_unavailable`: the name servers gave no answer that says anything; `record_missing`: there is no TXT record of ours; `record_mismatch`: there is one with another value; `domain_taken`: another organization has proved the domain."
})
export type DomainFailure = typeof DomainFailure.Type

export const Domain = Schema.Struct({
  id: Ids.DomainId,
  organizationId: Ids.OrganizationId,
  domain: Schema.String.annotate({ description: "In ASCII and lower case: `xn--…` where it has other letters." }),
  status: Schema.Literals(["pending", "verified", "lapsed"]).annotate({
    description:
      "`lapsed`: it was verified, and its record was missing at two checks a day apart; nobody new comes in by it until it is verified again."
  }),
  verification: Schema.Struct({
    type: Schema.Literal("TXT"),
    name: Schema.String.annotate({ description: "Where the record stands; at the domain itself is as good." }),
    value: Schema.String
  }),
  verifiedAt: Schema.NullOr(Timestamp),
  lastCheckedAt: Schema.NullOr(Timestamp),
  failure: Schema.NullOr(DomainFailure).annotate({
    description: "What the last check found wrong; null when it held."
  }),
  failingSince: Schema.NullOr(Timestamp).annotate({
    description:
      "Since when the record of a verified domain is missing or another; a check that finds it so 24 hours later lapses the domain. A name server that does not answer counts for nothing."
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Domain" })
export type Domain = typeof Domain.Type

// Requests

export const CreateDomain = Schema.Struct({
  domain: Text(3, 253).annotate({
    description: "`acme.com`. Public suffixes and domains where anybody can have an address are refused."
  })
}).annotate({ identifier: "CreateDomain" })

// Errors

export class DomainNotFound extends notFound("domain")<DomainNotFound>() {}
export class DomainQuotaExceeded extends conflict(
  "quota_exceeded",
  `The organization has as many domains as it may, ${domainsMax}.`
)<DomainQuotaExceeded>() {}
export class DomainExists extends conflict("domain_exists", "The organization has this domain.")<DomainExists>() {}

// Operations

const one = { domainId: Ids.DomainId }
const at = "/v1/sso/domains/:domainId"
const read = Access.permission("sso:read")
const DomainAnswer = Schema.Struct({ domain: Domain })

export const group = HttpApiGroup.make("ssoDomains")
  .annotateMerge(
    OpenApi.annotations({ title: "SSO domains", description: "The domains an organization has proved to own." })
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/sso/domains", {
      payload: CreateDomain,
      success: DomainAnswer.pipe(HttpApiSchema.status(201)),
      error: [DomainExists, DomainQuotaExceeded]
    }).pipe(
      endpointMetadata({
        access: Access.permission("sso:write"),
        plan: "sso",
        audited: "domain.create",
        summary: "Adds a domain, and says which TXT record proves it.",
        description: `At most ${domainsMax} an organization. Others may add the same one: it is of whoever proves it first. A domain below it is one of its own.`
      })
    ),
    HttpApiEndpoint.get("list", "/v1/sso/domains", { query: pageQuery, success: Page(Domain) }).pipe(
      endpointMetadata({ access: read, paged: true, summary: "Lists the organization's domains." })
    ),
    HttpApiEndpoint.get("get", at, { params: one, success: DomainAnswer, error: DomainNotFound }).pipe(
      endpointMetadata({ access: read, summary: "Gets one domain." })
    ),
    HttpApiEndpoint.delete("remove", at, { params: one, success: Done, error: DomainNotFound }).pipe(
      endpointMetadata({
        access: Access.permission("sso:manage"),
        audited: "domain.remove",
        summary: "Removes a domain: nobody new is signed in or provisioned by it.",
        description: "Whoever came in by it stays a member."
      })
    ),
    HttpApiEndpoint.post("verify", "/v1/sso/verify-domain", { success: Done }).pipe(
      endpointMetadata({
        access: Access.session,
        plan: "sso",
        specified: true,
        idempotency: "none",
        audited: "domain.verify",
        summary: "Looks for the TXT records of the domains that are not verified, and marks those that hold.",
        description:
          "204 when all of them hold, or there is nothing to prove. Otherwise 400 with one detail for each that does not: its `code`, and as its `path` `domains` and the domain; those that hold are marked all the same. An organization with neither domain nor SSO connection is answered as one that is not found. Ten times a minute for one organization; it may take 15 seconds."
      })
    )
  )
