import type { ConnectorEntry } from "@orgplane/schema/shared/configuration-outside"
import type { Member } from "@orgplane/schema/shared/caller"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { ConnectService } from "../../../content/connectors/connect-service.ts"
import * as repo from "../../../content/connectors/repo.ts"
import type { MappingsService } from "../../../content/connectors/mappings-service.ts"
import type { openCredential } from "../../../content/connectors/repository.ts"
import type { ConnectorsService } from "../../../content/connectors/service.ts"
import type { TargetsService } from "../../../content/connectors/targets-service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { accessReferences, normalizeAccess, readAccess, setAccess } from "../access.ts"
import { branchReferences, makeSetBranches, normalizeBranches, readBranches } from "../connector-branches.ts"
import { defined } from "../defined.ts"
import { at, currentSecret, type Kind, type Making } from "../kind.ts"
import { readPages } from "../read-pages.ts"

type Entry = Omit<typeof ConnectorEntry.Type, "key">
/** An entry with its secret in place of the reference. */
type Input = Omit<Entry, "token"> & { readonly token?: Redacted.Redacted }

/** A clone URL in the form in which it is stored. An invalid one is refused later. */
const cloneUrlOf = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !url.protocol.startsWith("http")) return text
  let end = url.pathname.length
  while (url.pathname[end - 1] === "/") end -= 1
  return `${url.protocol}//${url.host}${url.pathname.slice(0, end).replace(/\.git$/, "")}`
}

const refuse = (field: string, message: string) => Effect.fail(InvalidRequest.at([field], message))

/** Connected repositories, with their branches, mappings, credential and grants. */
export const connectorsKind = (
  sql: Sql,
  connectors: ConnectorsService["Service"],
  connect: ConnectService["Service"],
  targets: TargetsService["Service"],
  mappings: MappingsService["Service"],
  credentialOf: Effect.Success<typeof openCredential>
): Kind => {
  const setBranches = makeSetBranches(sql, targets, mappings)
  const setStatus = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"cin">,
    before: Entry["status"],
    after: Entry["status"]
  ) {
    if (after === undefined || after === before) return
    if (after === "archived") return yield* Effect.asVoid(connectors.archive(caller, id))
    // An archived connector cannot be disabled directly.
    if (after === "active" || before === "archived") yield* connectors.enable(caller, id)
    if (after === "disabled") yield* connectors.disable(caller, id)
  })
  const put = Effect.fnUntraced(function* (
    caller: Member,
    id: Id<"cin">,
    { access, autoImportNewPlugins, branches, status }: Partial<Input>,
    before: Entry["status"],
    { names, stated }: Making,
    isNew: boolean
  ) {
    // Branches can be changed only while the connector is active.
    if (status === "active") yield* setStatus(caller, id, before, status)
    if (branches !== undefined) {
      const { branches: statedBranches = [] } = stated as unknown as Entry
      yield* setBranches(caller, id, normalizeBranches(branches), statedBranches, names)
    }
    if (autoImportNewPlugins !== undefined) yield* connectors.setAutoImport(caller, id, autoImportNewPlugins)
    if (status !== "active") yield* setStatus(caller, id, before, status)
    if (access !== undefined) yield* setAccess(sql, caller, "connectorInstance", id, connectors, access, names, isNew)
  })
  const readCredential = (row: repo.InstanceRow) => Effect.catch(credentialOf(row), () => Effect.succeed(undefined))
  return {
    kind: "connectors",
    refersTo: ["teams", "plugins"],
    grantedAs: ["connectorInstance"],
    permissions: {
      read: ["connectors:read", "members:read"],
      write: "connectors:write",
      remove: "connectors:manage",
      fields: { access: "connectors:read" }
    },
    secrets: {
      prefix: "CONNECTOR",
      fields: [{ field: "token", resetBy: ["remoteId", "username"] }],
      read: Effect.fnUntraced(function* ({ organizationId }, { id }) {
        const row = yield* repo.findInstance(sql, organizationId, id as Id<"cin">)
        return row === undefined ? undefined : (yield* readCredential(row))?.token
      })
    },
    read: Effect.fnUntraced(function* (caller, names) {
      const { organizationId } = caller
      const accessOf = yield* readAccess(sql, organizationId, "connectorInstance", names)
      const branchesOf = yield* readBranches(sql, organizationId, names)
      const rows = yield* readPages((after, limit) =>
        repo.listInstances(sql, caller, { archived: "true" }, after, limit)
      )
      return yield* Effect.forEach(rows, (row) =>
        Effect.map(row.credential_id === null ? Effect.succeed(null) : readCredential(row), (credential) => ({
          id: row.id,
          version: row.version,
          name: row.name,
          item: {
            name: row.name,
            adapter: row.adapter,
            remoteId: row.remote_id,
            ...branchesOf(row.id),
            config: row.config_json,
            // An error is the result of a sync.
            status: row.status === "error" ? "active" : row.status,
            autoImportNewPlugins: row.auto_import_new_plugins,
            ...(credential === null
              ? {}
              : { ...(credential === undefined ? {} : { username: credential.username }), token: currentSecret }),
            access: accessOf(row.id)
          }
        }))
      )
    }),
    normalize: (item) => {
      const { access, branches, remoteId, ...rest } = item as unknown as Entry
      return {
        ...rest,
        remoteId: rest.adapter === "rest" ? remoteId : cloneUrlOf(remoteId),
        ...defined({
          branches: branches && normalizeBranches(branches),
          access: access && normalizeAccess(access)
        })
      }
    },
    references: (item) => {
      const { access, branches } = item as unknown as Entry
      return [...branchReferences(branches), ...accessReferences(access)]
    },
    create: Effect.fnUntraced(function* (caller, item, making) {
      const entry = item as unknown as Input
      const { adapter = "git", branch, config, name, remoteId, token, username } = entry
      if (adapter === "rest") {
        return yield* refuse("adapter", "must be git for a new connector. Connect the repository first, then adopt it.")
      }
      if (username !== undefined && token === undefined) return yield* refuse("username", "requires token")
      const credential = token && { ...defined({ username }), token: Redacted.value(token) }
      const { connectorInstance } = yield* Effect.mapError(
        connect.setup(caller, { adapter, cloneUrl: remoteId, branch, name, ...defined({ credential }) }),
        (error) =>
          error instanceof InvalidRequest
            ? new InvalidRequest({
                details: error.details.map(({ message, path }) => ({
                  message,
                  path: path.map((part) => (part === "cloneUrl" ? "remoteId" : part))
                }))
              })
            : error
      )
      const { id } = connectorInstance
      if (config !== undefined) yield* connectors.updateInstance(caller, id, { config })
      yield* put(caller, id, entry, "active", making, true)
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields, making) {
      const id = current.id as Id<"cin">
      const before = current.item as unknown as Entry
      const {
        adapter = before.adapter,
        branch = before.branch,
        config,
        name,
        token,
        username,
        ...rest
      } = fields as Partial<Input>
      if (adapter !== before.adapter) return yield* refuse("adapter", "cannot be changed")
      if (branch !== before.branch) return yield* refuse("branch", "cannot be changed")
      const remoteId = rest.remoteId === before.remoteId ? undefined : rest.remoteId
      if (remoteId !== undefined && adapter === "rest") {
        return yield* refuse(
          "remoteId",
          "cannot be changed for adapter rest. Connect the other repository, then adopt it"
        )
      }
      const input = defined({ config, name, remoteId })
      if (Object.keys(input).length > 0) yield* connectors.updateInstance(at(caller, current), id, input)
      if (token !== undefined) {
        const name = username ?? before.username
        yield* connect.setCredential(caller, id, { ...defined({ username: name }), token: Redacted.value(token) })
      } else if (username !== undefined) return yield* refuse("username", "requires token")
      yield* put(caller, id, rest, before.status, making, false)
    }),
    remove: (caller, current) => connectors.remove(caller, current.id as Id<"cin">).pipe(Effect.asVoid)
  }
}
