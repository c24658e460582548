import * as Accounts from "@orgplane/schema/connector-accounts"
import type { Account } from "@orgplane/schema/connectors"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Page, PageQuery } from "@orgplane/schema/shared/page"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { demandLevel } from "../../identity/access/service.ts"
import { digestOf } from "../../infra/audit/record.ts"
import { sha256Bytes } from "../../infra/crypto/digest.ts"
import { makeSecret } from "../../infra/crypto/tokens.ts"
import { makeId } from "../../infra/ids.ts"
import { membershipOf, Mutate } from "../../infra/mutate/index.ts"
import { limitDefault, Pages, type PageScope } from "../../infra/pages/index.ts"
import { CodeHostApp, type HostPage, type InstallationRef } from "../../infra/ports/code-host-app.ts"
import { CodeHost, type CodeHostFailed } from "../../infra/ports/code-host.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { organizationTransaction } from "../../infra/sql/organization-scope.ts"
import { iso } from "../../infra/sql/timestamps.ts"
import { whenTaken } from "../../infra/sql/unique.ts"
import * as repo from "./accounts-repo.ts"
import { setAccountState } from "./remote-events-repo.ts"
import { accountAt, toAppError } from "./repository.ts"
import { ConnectorsService } from "./service.ts"
import { withoutTrailing } from "../../infra/normalize.ts"

const installSeconds = 600

/** Maximum pages requested from the host: 100,000 rows. */
const hostPagesMax = 1000

/** Accounts on code hosts, and installations of the orgplane app. */
export class AccountsService extends Context.Service<AccountsService>()("@orgplane/server/connectors/AccountsService", {
  make: Effect.gen(function* () {
    const sql = yield* SqlDatabase
    const pages = yield* Pages
    const codeHost = yield* CodeHost
    const app = yield* CodeHostApp
    const connectors = yield* ConnectorsService
    const fenced = yield* organizationTransaction
    const { mutate, recall } = yield* Mutate

    /** Requires an access level on an account. */
    const demand = Effect.fnUntraced(function* (caller: Member, id: Id<"cac">, needed: "viewer" | "manager") {
      const row = yield* repo.get(sql, caller, id)
      if (row === undefined || row.level === 0) return yield* new Accounts.AccountNotFound()
      yield* demandLevel(row.level, needed)
      return row
    })

    const listAccounts = (caller: Member, query: PageQuery & { readonly q?: string }) => {
      const { cursor: _cursor, limit: _limit, ...filters } = query
      return pages.list(caller, query, {
        filters,
        rows: (after, limit) => repo.list(sql, caller, filters, after, limit),
        toWire: repo.toWire
      })
    }

    const getAccount = (caller: Member, id: Id<"cac">) => Effect.map(demand(caller, id, "viewer"), repo.toWire)

    /** Creates an account of plain Git for an origin. */
    const createAccount = Effect.fnUntraced(function* (caller: Member, input: typeof Accounts.CreateAccount.Type) {
      const invalidUrl = (message: string) => InvalidRequest.at(["body", "url"], message)
      const url = URL.parse(input.url)
      if (
        url === null ||
        url.pathname !== "/" ||
        url.search !== "" ||
        url.hash !== "" ||
        input.url.startsWith("file:")
      ) {
        return yield* invalidUrl("must be an origin, such as https://git.example")
      }
      // The port validates the rest of the URL as the URL of a repository at that origin.
      const cloneUrl = yield* codeHost
        .normalize(`${withoutTrailing(input.url, "/")}/owner/name`)
        .pipe(Effect.catchTag("CodeHostFailed", ({ message }) => Effect.fail(invalidUrl(message))))
      const account = accountAt(cloneUrl)
      return yield* mutate(
        caller,
        "connector.create_account",
        Effect.gen(function* () {
          const named = { ...account, name: input.name ?? account.name }
          const row = yield* repo.create(sql, caller.organizationId, named, membershipOf(caller))
          return row === undefined ? yield* new Accounts.AccountExists() : repo.toWire(row)
        }),
        (account) => ({ target: account.id, after: { adapter: account.adapter, remoteId: digestOf(account.remoteId) } })
      )
    })

    const disconnectAccount = Effect.fnUntraced(function* (caller: Member, id: Id<"cac">) {
      const disconnected = yield* demand(caller, id, "manager").pipe(
        Effect.as(undefined),
        // A retry with the same idempotency key returns the stored response, although the account is disconnected.
        Effect.catchTag("ConnectorAccountNotFound", (notFound) =>
          Effect.flatMap(recall<Account>(caller), (storedResponse) =>
            storedResponse === undefined ? Effect.fail(notFound) : Effect.succeed(storedResponse)
          )
        )
      )
      if (disconnected !== undefined) return disconnected
      return yield* mutate(
        caller,
        "connector.disconnect_account",
        Effect.gen(function* () {
          const row = yield* repo.hold(sql, caller.organizationId, id)
          if (row === undefined) return yield* new Accounts.AccountNotFound()
          if (yield* repo.isUsed(sql, caller.organizationId, id)) return yield* new Accounts.AccountInUse()
          yield* repo.remove(sql, caller.organizationId, id)
          return { ...repo.toWire(row), status: "disconnected" as const, statusReason: null }
        }),
        (account) => ({ target: id, before: { adapter: account.adapter, remoteId: digestOf(account.remoteId) } })
      )
    })

    /** The user and session that start or complete an installation. */
    const pendingInstallationOf = Effect.fnUntraced(function* ({ principal }: Member, state: string) {
      if (principal.kind === "key") {
        return yield* new Forbidden({
          reason: "session_required",
          message: "An API key cannot install the app. Sign in as a user."
        })
      }
      const { membershipId, sessionId } = principal
      return { digest: sha256Bytes(state), membershipId, sessionId }
    })

    const startInstall = Effect.fnUntraced(function* (caller: Member) {
      yield* connectors.demandReadable(caller)
      const state = makeSecret()
      const pending = yield* pendingInstallationOf(caller, state)
      const url = yield* app
        .installUrl(caller.organizationId, state)
        .pipe(Effect.catchTag("CodeHostFailed", (failure) => Effect.fail(toAppError(failure))))
      const row = yield* mutate(
        caller,
        "connector.start_install",
        Effect.gen(function* () {
          const row = yield* repo.putPendingInstallation(sql, caller.organizationId, pending, installSeconds)
          return { expiresAt: iso(row.expires_at) }
        }),
        () => ({})
      )
      return { url, state, expiresAt: row.expiresAt }
    })

    /**
     * Completes an installation: the caller's session must have started it, and the user must be an administrator of
     * the installed account.
     */
    const completeInstall = Effect.fnUntraced(function* (caller: Member, input: typeof Accounts.CompleteInstall.Type) {
      const storedResponse = yield* recall<{ readonly isNew: boolean; readonly account: Account }>(caller)
      if (storedResponse !== undefined) return storedResponse
      const { organizationId } = caller
      const pending = yield* pendingInstallationOf(caller, input.state)
      // The state is consumed before the request to the code host, so it cannot be used again, regardless of the
      // result.
      if (!(yield* fenced(organizationId, repo.takePendingInstallation(sql, organizationId, pending)))) {
        return yield* InvalidRequest.at(
          ["body", "state"],
          "does not belong to an installation that this session started in the last ten minutes"
        )
      }
      const proof = yield* app
        .prove({ installationId: input.installationId, organizationId }, input.code)
        .pipe(Effect.catchTag("CodeHostFailed", (failure) => Effect.fail(toAppError(failure))))
      if ("refused" in proof) return yield* InvalidRequest.at(["body", proof.refused], proof.message)
      const { accountName, id: installationId, isSuspended } = proof.installation
      const accountId = makeId("cac")
      return yield* mutate(
        caller,
        "connector.complete_install",
        Effect.gen(function* () {
          const row = yield* repo
            .put(
              sql,
              organizationId,
              { id: accountId, adapter: "rest", remoteId: installationId, name: accountName },
              membershipOf(caller)
            )
            .pipe(whenTaken(() => new Accounts.InstallationTaken()))
          if (isSuspended) yield* setAccountState(sql, organizationId, installationId, "error", suspended)
          const accountRow = isSuspended ? { ...row, status: "error" as const, status_reason: suspended } : row
          return { isNew: row.id === accountId, account: repo.toWire(accountRow) }
        }),
        ({ account }) => ({
          target: account.id,
          after: { adapter: account.adapter, remoteId: digestOf(account.remoteId) }
        })
      )
    })

    /** Converts a page of the code host. The cursor contains the host's page number and page size. */
    const hostPage = Effect.fnUntraced(function* <A, B>(
      caller: Member,
      id: Id<"cac">,
      scope: PageScope,
      query: PageQuery,
      ask: (ref: InstallationRef, page: number, perPage: number) => Effect.Effect<HostPage<A>, CodeHostFailed>,
      toWire: (row: A) => B
    ) {
      const account = yield* demand(caller, id, "viewer")
      const position = query.cursor === undefined ? undefined : yield* pages.decode(scope, query.cursor)
      const [page = 1, perPage = query.limit ?? limitDefault] = position?.split("/").map(Number) ?? []
      if (account.adapter === "git") return yield* new Accounts.RepositoriesNotListed()
      yield* connectors.demandReadable(caller)
      const ref = { installationId: account.remote_id, organizationId: caller.organizationId }
      const hostPageItems = yield* ask(ref, page, perPage).pipe(
        Effect.catchTag("CodeHostFailed", (failure) =>
          Effect.fail(
            failure.code === "not_a_repository"
              ? InvalidRequest.at(["query", "remoteId"], "is not a repository of the installation")
              : toAppError(failure)
          )
        )
      )
      const next = hostPageItems.next === null || hostPageItems.next > hostPagesMax ? null : hostPageItems.next
      const response: Page<B> = {
        items: hostPageItems.items.map(toWire),
        nextCursor: next === null ? null : pages.encode(scope, `${next}/${perPage}`)
      }
      return response
    })

    const listRepositories = (caller: Member, id: Id<"cac">, query: PageQuery) =>
      hostPage(
        caller,
        id,
        { operation: "connectors.listRepositories", organizationId: caller.organizationId, filters: id },
        query,
        app.repositories,
        ({ defaultBranch, fullName, id, isPrivate }) => ({ id, fullName, defaultBranch, private: isPrivate })
      )

    const listBranches = (caller: Member, id: Id<"cac">, query: PageQuery & { readonly remoteId: string }) =>
      hostPage(
        caller,
        id,
        {
          operation: "connectors.listBranches",
          organizationId: caller.organizationId,
          filters: [id, query.remoteId]
        },
        query,
        (ref, page, perPage) => app.branches({ ...ref, repositoryId: query.remoteId }, page, perPage),
        (row) => row
      )

    return {
      listAccounts,
      getAccount,
      createAccount,
      disconnectAccount,
      startInstall,
      completeInstall,
      listRepositories,
      listBranches
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const suspended = "The installation is suspended on the code host."
