import type { DomainEntry } from "@orgplane/schema/shared/configuration-outside"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { readDomain } from "../../../enterprise/domains/name.ts"
import * as repo from "../../../enterprise/domains/repo.ts"
import type { DomainsService } from "../../../enterprise/domains/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import type { Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"

type Entry = Omit<typeof DomainEntry.Type, "key">

/** Domains. A new one is pending until it is verified. */
export const domainsKind = (sql: Sql, domains: DomainsService["Service"]): Kind => ({
  kind: "domains",
  permissions: { read: ["sso:read"], write: "sso:write", remove: "sso:manage" },
  feature: "sso",
  read: ({ organizationId }) =>
    Effect.map(
      readPages((after, limit) => repo.list(sql, organizationId, after, limit)),
      (rows) => rows.map(({ domain, id }) => ({ id, version: null, name: domain, item: { domain } }))
    ),
  normalize: (item) => {
    const { domain } = item as unknown as Entry
    const read = readDomain(domain)
    return { domain: "domain" in read ? read.domain : domain }
  },
  references: () => [],
  create: (caller, item) => Effect.map(domains.create(caller, item as unknown as Entry), ({ domain }) => domain.id),
  update: () => Effect.fail(InvalidRequest.at(["domain"], "cannot be changed. Use another key for another domain.")),
  remove: (caller, current) => domains.remove(caller, current.id as Id<"dom">)
})
