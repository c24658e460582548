import {
  type AccessPath,
  type AccessStep,
  type Explain,
  type Explanation,
  ObjectNotFound
} from "@orgplane/schema/access"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { GrantRole } from "@orgplane/schema/shared/grants"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import { type GrantedKind, type Holder, levels, managePermissions, managesAll, roleOf } from "../grants/index.ts"
import { isAdminRole } from "../auth/permissions.ts"
import { permissionsIn } from "../roles/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import * as repo from "./explain-repo.ts"

type Path = typeof AccessPath.Type
type Step = typeof AccessStep.Type

const needs = { view: "viewer", edit: "editor", manage: "manager" } as const satisfies Record<string, GrantRole>

const nouns = {
  connectorInstance: "connector instance",
  configObject: "config object",
  plugin: "plugin",
  marketplace: "marketplace",
  mcpConnection: "MCP connection",
  llmProvider: "LLM provider"
} as const satisfies Record<GrantedKind, string>

/** A grant on one of these shows its contents. */
const containers = {
  connectorInstance: undefined,
  configObject: "plugin or marketplace",
  plugin: "marketplace",
  marketplace: undefined,
  mcpConnection: undefined,
  llmProvider: undefined
} as const satisfies Record<GrantedKind, string | undefined>

/** Required for every operation on objects of the kind, regardless of grants. */
const readPermissions = {
  connectorInstance: "connectors:read",
  configObject: "configObjects:read",
  plugin: "plugins:read",
  marketplace: "marketplaces:read",
  mcpConnection: "mcpConnections:read",
  llmProvider: "llmProviders:read"
} as const satisfies Record<GrantedKind, Permission>

/** The member or key that the explanation is about, limited to the facts that the caller may see. */
interface Subject {
  readonly holder: Holder
  readonly step: Step
  /** The subject in the words of the message. */
  readonly who: string
  readonly role: string | null
  readonly permissions: ReadonlySet<Permission>
}

const hidden: Step = { kind: "hidden", id: null, label: "Something you cannot see" }

/** Adjacent hidden steps are merged, because their number would reveal how many hidden objects there are. */
const merged = (steps: ReadonlyArray<Step>) =>
  steps.filter((step, index) => step.kind !== "hidden" || steps[index - 1]?.kind !== "hidden")

const pathOf = (caller: Member, subject: Subject, object: Step, isSelf: boolean, row: repo.PathRow): Path => {
  const grantIsVisible = row.marketplaceId === null ? row.pluginVisible : row.marketplaceVisible
  const team: ReadonlyArray<Step> =
    row.teamId === null
      ? []
      : isSelf || caller.permissions.has("teams:read")
        ? [{ kind: "team", id: row.teamId, label: row.teamName ?? row.teamId }]
        : [hidden]
  const grant: Step = grantIsVisible
    ? { kind: "grant", id: row.grantId, label: row.orgWide ? `${row.role} for the whole organization` : row.role }
    : hidden
  const marketplace: ReadonlyArray<Step> =
    row.marketplaceId === null
      ? []
      : row.marketplaceVisible
        ? [{ kind: "marketplace", id: row.marketplaceId, label: row.marketplaceName ?? row.marketplaceId }]
        : [hidden]
  const plugin: ReadonlyArray<Step> =
    row.pluginId === null
      ? []
      : row.pluginVisible
        ? [{ kind: "plugin", id: row.pluginId, label: row.pluginName ?? row.pluginId }]
        : [hidden]
  return {
    level: roleOf(row.level) ?? "viewer",
    steps: merged([subject.step, ...team, grant, ...marketplace, ...plugin, object])
  }
}

const missingOf = (
  who: string,
  kind: GrantedKind,
  name: string,
  needed: GrantRole,
  level: GrantRole | null,
  permission: Permission | undefined
): string | null => {
  const what = `the ${nouns[kind]} "${name}"`
  const receivers = "for the member, one of their teams or the whole organization"
  if (level === null) {
    const holders = needed === "viewer" ? containers[kind] : undefined
    const elsewhere = holders === undefined ? "" : `, or a grant on a ${holders} that contains it`
    return `No grant on ${what} applies to ${who}. Required: a grant with ${needed} access, ${receivers}${elsewhere}.`
  }
  if (levels[level] < levels[needed]) {
    return `The access level for ${who} is ${level}. Required: a grant with ${needed} access on ${what}, ${receivers}.`
  }
  return permission === undefined ? null : `Grants have no effect for ${who} without the permission ${permission}.`
}

/** Explains why a member or API key has access to an object, or which grant is missing. */
export const makeExplain = Effect.gen(function* () {
  const sql = yield* SqlDatabase

  const self = (caller: Member): Subject => ({
    holder: caller,
    step:
      caller.principal.kind === "session"
        ? { kind: "member", id: caller.principal.membershipId, label: "You" }
        : { kind: "member", id: caller.principal.keyId, label: "This API key" },
    who: caller.principal.kind === "session" ? "you" : "this API key",
    role: caller.isOwner ? "owner" : caller.isAdmin ? "admin" : null,
    permissions: caller.permissions
  })

  const other = Effect.fnUntraced(function* (
    caller: Member,
    id: NonNullable<(typeof Explain.Type)["orgMembershipId"]>
  ) {
    const row = yield* repo.subject(sql, caller.organizationId, id)
    if (row === undefined) {
      return yield* InvalidRequest.at(["body", "orgMembershipId"], "does not exist in the organization")
    }
    const label = caller.permissions.has("members:read") ? row.label : row.id
    const subject: Subject = {
      holder: {
        organizationId: caller.organizationId,
        isAdmin: isAdminRole(row.role),
        principal: { kind: "session", membershipId: row.id }
      },
      step: { kind: "member", id: row.id, label },
      who: label,
      role: row.role,
      permissions: (yield* permissionsIn(sql, caller.organizationId, row.role)) ?? new Set()
    }
    return subject
  })

  /** Callers may ask about themselves. Questions about others require `access:read`. */
  return Effect.fnUntraced(function* (caller: Member, input: typeof Explain.Type) {
    const own = caller.principal.kind === "session" ? caller.principal.membershipId : undefined
    const isSelf = input.orgMembershipId === undefined || input.orgMembershipId === own
    if (!isSelf && !caller.permissions.has("access:read")) {
      return yield* new Forbidden({
        reason: "permission_required",
        message: "Explaining another member's access requires the permission access:read."
      })
    }
    const subject =
      isSelf || input.orgMembershipId === undefined ? self(caller) : yield* other(caller, input.orgMembershipId)
    const { id, kind } = input.object
    const row = yield* repo.object(sql, caller, subject.holder, kind, id)
    if (row === undefined || row.asker_level === 0) return yield* new ObjectNotFound()

    const object: Step = { kind: "object", id, label: row.name }
    const byRole: ReadonlyArray<Path> = managesAll(subject.holder, kind)
      ? [
          {
            level: "manager",
            steps: [subject.step, { kind: "role", id: null, label: subject.role ?? managePermissions[kind] }, object]
          }
        ]
      : []
    const paths = [...byRole, ...row.paths.map((path) => pathOf(caller, subject, object, isSelf, path))]
    const level = roleOf(row.level)
    const needed = needs[input.action]
    const permission = subject.permissions.has(readPermissions[kind]) ? undefined : readPermissions[kind]
    const missing = missingOf(subject.who, kind, row.name, needed, level, permission)
    const explanation: typeof Explanation.Type = {
      allowed: missing === null,
      level,
      needed,
      paths: paths.slice(0, repo.pathsMax),
      missing
    }
    return explanation
  })
})
