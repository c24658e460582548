import type { ConnectorAccountEntry } from "@orgplane/schema/shared/configuration-outside"
import { InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as repo from "../../../content/connectors/accounts-repo.ts"
import type { AccountsService } from "../../../content/connectors/accounts-service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { defined } from "../defined.ts"
import type { Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"

type Entry = Omit<typeof ConnectorAccountEntry.Type, "key">

const gitHost = /^git:(?<host>[^/\s]+)$/u

const hostOf = (remoteId: string) => gitHost.exec(remoteId)?.groups?.["host"]

/** The account of repositories on the server's file system, which only a connector can create. */
const fileAccount = "git:file"

/** Accounts on code hosts. Installations of the app are never created. */
export const connectorAccountsKind = (sql: Sql, accounts: AccountsService["Service"]): Kind => ({
  kind: "connectorAccounts",
  grantedAs: ["connectorInstance"],
  permissions: { read: ["connectors:read"], write: "connectors:write", remove: "connectors:manage" },
  read: (caller) =>
    Effect.map(
      readPages((after, limit) => repo.list(sql, caller, {}, after, limit)),
      (rows) =>
        rows
          .filter((row) => row.remote_id !== fileAccount)
          .map((row) => ({
            id: row.id,
            version: null,
            name: row.name,
            item: {
              adapter: row.adapter,
              remoteId: row.remote_id,
              // The code host decides the names of installations.
              ...(row.adapter === "git" ? { name: row.name } : {})
            }
          }))
    ),
  normalize: (item) => {
    const { adapter = "git", name, remoteId } = item as unknown as Entry
    const id = adapter === "git" ? remoteId.toLowerCase() : remoteId
    return { adapter, remoteId: id, ...defined({ name: name ?? (adapter === "git" ? hostOf(id) : undefined) }) }
  },
  references: () => [],
  create: Effect.fnUntraced(function* (caller, item) {
    const { adapter, name, remoteId } = item as unknown as Entry
    if (adapter === "rest") {
      return yield* InvalidRequest.at(
        ["adapter"],
        "must be git for a new account. Install the app on the code host first, then adopt the account."
      )
    }
    const host = hostOf(remoteId)
    if (host === undefined || remoteId === fileAccount) {
      return yield* InvalidRequest.at(["remoteId"], "must be `git:` and a host, such as git:git.example")
    }
    const account = yield* Effect.mapError(
      accounts.createAccount(caller, { adapter: "git", url: `https://${host}`, ...defined({ name }) }),
      (error) =>
        error instanceof InvalidRequest
          ? InvalidRequest.at(["remoteId"], error.details[0]?.message ?? "is invalid")
          : error
    )
    return account.id
  }),
  update: (_caller, _current, fields) =>
    Effect.fail(
      InvalidRequest.at(
        [Object.keys(fields)[0] ?? "remoteId"],
        "cannot be changed. Use another key for another account."
      )
    ),
  remove: (caller, current) => accounts.disconnectAccount(caller, current.id as Id<"cac">).pipe(Effect.asVoid)
})
