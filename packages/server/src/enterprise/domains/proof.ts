import type { DomainFailure } from "@orgplane/schema/sso-domains"
import * as Effect from "effect/Effect"
import type { DnsText } from "../../infra/ports/dns-text.ts"
import type { DueRow } from "./repo.ts"
import { recordName, recordValue, valuePrefix } from "./name.ts"

/** The records of a name; null when nobody told. */
const ask = (
  dns: typeof DnsText.Service,
  name: string,
  organizationId: string
): Effect.Effect<ReadonlyArray<string> | null> =>
  dns.lookup(name, organizationId).pipe(
    Effect.map((records) => records.map((record) => record.trim())),
    Effect.catchTag("DnsTextFailed", ({ code }) => Effect.succeed(code === "missing" ? [] : null))
  )

/**
 * What is wrong with the proof of a domain; null when it holds: one record, at the name of ours or at the domain itself,
 * is the whole value and nothing more.
 */
export const judge = (
  dns: typeof DnsText.Service,
  { domain, organization_id: organizationId, token }: DueRow
): Effect.Effect<DomainFailure | null> =>
  Effect.all([ask(dns, recordName(domain), organizationId), ask(dns, domain, organizationId)], { concurrency: 2 }).pipe(
    Effect.map(([own, apex]) => {
      const value = recordValue(token)
      if (own?.includes(value) === true || apex?.includes(value) === true) return null
      // What was not told might be the record.
      if (own === null || apex === null) return "dns_unavailable"
      // At a name that is for nothing else, whatever stands there is meant to be it.
      const isOther = own.length > 0 || apex.some((record) => record.toLowerCase().startsWith(valuePrefix))
      return isOther ? "record_mismatch" : "record_missing"
    })
  )
