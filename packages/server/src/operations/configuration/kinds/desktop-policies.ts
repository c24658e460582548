import type { DesktopPolicyEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { policySettingsOf } from "../../../enterprise/desktop-policies/plan.ts"
import * as repo from "../../../enterprise/desktop-policies/repo.ts"
import type { DesktopPoliciesService } from "../../../enterprise/desktop-policies/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { defined } from "../defined.ts"
import { at, type Current, type Kind, type Names } from "../kind.ts"
import { readPages } from "../read-pages.ts"
import { addressesOf, idsOf } from "../references.ts"

type Entry = Omit<typeof DesktopPolicyEntry.Type, "key">
type Audience = Entry["appliesTo"]

/** Members without an email address are not in the document, and keep the policy while it applies to members or teams. */
interface PolicyItem extends Current {
  readonly unlisted: ReadonlyArray<Id<"om">>
}

const assigneesOf = (audience: Audience, unlisted: ReadonlyArray<Id<"om">>, names: Names) =>
  audience === "everyone"
    ? { forOrganization: true, memberIds: [], teamIds: [] }
    : {
        forOrganization: false,
        memberIds: [...unlisted, ...idsOf(audience.members ?? [], names.membershipOf)],
        teamIds: idsOf(audience.teams ?? [], (key) => names.idOf("teams", key) as Id<"tem"> | undefined)
      }

/** Desktop policies, with the members and teams that they apply to. */
export const desktopPoliciesKind = (sql: Sql, policies: DesktopPoliciesService["Service"]): Kind => ({
  kind: "desktopPolicies",
  permissions: {
    read: ["desktopPolicies:read", "members:read"],
    write: "desktopPolicies:write",
    remove: "desktopPolicies:manage"
  },
  refersTo: ["teams"],
  feature: "desktop_policies",
  read: ({ organizationId }, names) =>
    Effect.map(
      readPages((after, limit) => repo.list(sql, organizationId, {}, after, limit)),
      (rows) =>
        rows.map((row): PolicyItem => ({
          id: row.id,
          version: row.version,
          name: row.name,
          unlisted: row.member_ids.filter((id) => names.emailOf(id) === undefined),
          item: {
            name: row.name,
            settings: policySettingsOf(row.settings_json),
            priority: row.priority,
            isEnabled: row.is_enabled,
            appliesTo: row.for_organization
              ? "everyone"
              : {
                  members: idsOf(row.member_ids, names.emailOf).toSorted(),
                  teams: idsOf(row.team_ids, (id) => names.keyOf("teams", id)).toSorted()
                }
          }
        }))
    ),
  normalize: (item) => {
    const { appliesTo, settings, ...rest } = item as unknown as Entry
    return {
      ...rest,
      ...defined({ settings: settings && policySettingsOf(settings) }),
      appliesTo:
        appliesTo === "everyone"
          ? appliesTo
          : {
              members: addressesOf(appliesTo.members ?? []),
              teams: [...new Set(appliesTo.teams)].toSorted()
            }
    }
  },
  references: (item) => {
    const { appliesTo } = item as unknown as Entry
    if (appliesTo === "everyone") return []
    return [
      ...(appliesTo.members ?? []).map((email, index) => ({
        path: ["appliesTo", "members", index],
        email: email.toLowerCase()
      })),
      ...(appliesTo.teams ?? []).map((key, index) => ({
        path: ["appliesTo", "teams", index],
        kind: "teams" as const,
        key
      }))
    ]
  },
  create: (caller, item, { names }) => {
    const { appliesTo, isEnabled, name, priority, settings = {} } = item as unknown as Entry
    const input = { policyName: name, policy: settings, ...defined({ isEnabled, priority }) }
    return Effect.map(
      policies.create(caller, { ...input, ...assigneesOf(appliesTo, [], names) }),
      ({ desktopPolicy }) => desktopPolicy.id
    )
  },
  update: (caller, current, fields, { names }) => {
    const { appliesTo, isEnabled, name, priority, settings } = fields as Partial<Entry>
    const { unlisted } = current as PolicyItem
    return policies
      .update(at(caller, current), current.id as Id<"dpo">, {
        ...defined({ policyName: name, policy: settings, isEnabled, priority }),
        ...(appliesTo === undefined ? {} : assigneesOf(appliesTo, unlisted, names))
      })
      .pipe(Effect.asVoid)
  },
  remove: (caller, current) => policies.remove(at(caller, current), current.id as Id<"dpo">)
})
