import type { DomainFailure } from "@orgplane/schema/sso-domains"
import * as Effect from "effect/Effect"
import type { DnsText } from "../../infra/ports/dns-text.ts"
import type { DueRow } from "./repo.ts"
import { recordName, recordValue, valuePrefix } from "./name.ts"

/** The TXT records of a name; null when the lookup failed. */
const recordsOf = (
  dns: typeof DnsText.Service,
  name: string,
  organizationId: string
): Effect.Effect<ReadonlyArray<string> | null> =>
  dns.lookup(name, organizationId).pipe(
    Effect.map((records) => records.map((record) => record.trim())),
    Effect.catchTag("DnsTextFailed", ({ code }) => Effect.succeed(code === "missing" ? [] : null))
  )

/**
 * Why the verification of a domain fails. Null if it succeeds, which requires one record, at the verification name or
 * at the domain itself, with exactly the expected value.
 */
export const checkProof = (
  dns: typeof DnsText.Service,
  { domain, organization_id: organizationId, token }: DueRow
): Effect.Effect<DomainFailure | null> =>
  Effect.all([recordsOf(dns, recordName(domain), organizationId), recordsOf(dns, domain, organizationId)], {
    concurrency: 2
  }).pipe(
    Effect.map(([own, apex]) => {
      const value = recordValue(token)
      if (own?.includes(value) === true || apex?.includes(value) === true) return null
      // The lookup that failed might have returned the record.
      if (own === null || apex === null) return "dns_unavailable"
      // The verification name has no other use, so any record at it is intended for verification.
      const isOther = own.length > 0 || apex.some((record) => record.toLowerCase().startsWith(valuePrefix))
      return isOther ? "record_mismatch" : "record_missing"
    })
  )
