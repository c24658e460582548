/** Describes each type of event: with the summary of the operation that causes it, or in its own words. */
import { OrgplaneApi } from "@orgplane/schema/api"
import { type AuditAction, auditActionOf } from "@orgplane/schema/shared/audit-actions"
import * as Auth from "@orgplane/schema/shared/auth"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"

/** The types that no operation causes directly. */
const withoutOperation: Readonly<Partial<Record<AuditAction, string>>> = {
  "access.refuse":
    "Requests of a principal were refused. There is one event per minute, principal and reason, with the number of requests.",
  "capability.credential.reject": "The provider rejected the stored credential of a capability.",
  "configuration.run.end":
    "A run of the configuration source ended: the files were applied, planned, or matched the organization.",
  "configuration.run.fail": "A run of the configuration source failed.",
  "configuration.run.hold": "A run of the configuration source was held because it would remove too many objects.",
  "connector.rollback.finish": "A rollback of a connector instance ended.",
  "connector.sync.fail": "A sync failed.",
  "connector.sync.hold": "A sync was held because it would delete too much.",
  "connector.synced": "A sync was completed.",
  "domain.fail": "A verified domain could not be verified again.",
  "domain.lapse": "A domain lost its verification.",
  "domain.recover": "A domain was verified again.",
  "mcp_connection.credential.reject": "The server rejected the stored credential of an MCP connection.",
  "mcp_connection.drift": "The tools or the identity of an MCP server changed.",
  "mcp_connection.tool_call.start": "A call of a tool for diagnosis started.",
  "release.hold": "A release of a plugin was held for approval.",
  "release.serve": "A release of a plugin was approved automatically.",
  "rollout.cancel": "A rollout was canceled because its release cannot be delivered.",
  "rollout.complete": "A rollout reached all members.",
  "rollout.supersede": "Another release of the plugin was rolled out or served, which ended the open rollout.",
  "scim.user.deactivate": "A directory deactivated a user.",
  "scim.user.reactivate": "A directory reactivated a user.",
  "secret.discard": "A stored secret was discarded because its key is missing.",
  "webhook_endpoint.disable": "A webhook endpoint was disabled because its URL returned 410.",
  "worker.runtime_upgrade.start": "An upgrade of a worker's runtime started."
}

let summaries: ReadonlyMap<AuditAction, string> | undefined

const readSummaries = (): ReadonlyMap<AuditAction, string> => {
  const all = new Map<AuditAction, string>()
  HttpApi.reflect(OrgplaneApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const stored = Context.getOrUndefined(endpoint.annotations, Auth.Audited)
      const summary = Context.getOrUndefined(endpoint.annotations, OpenApi.Summary)
      if (stored === undefined || summary === undefined) return
      const type = auditActionOf(stored)
      // The first operation of a type is the usual one.
      if (!all.has(type)) all.set(type, `${summary}.`)
    }
  })
  return all
}

/** What happened, in a sentence: for most types, the summary of the operation. The contract is read at the first call. */
export const describeType = (type: AuditAction): string =>
  withoutOperation[type] ?? (summaries ??= readSummaries()).get(type) ?? type
