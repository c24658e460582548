import type { DeliveryMode, Settings, UpdateSettings } from "@orgplane/schema/approvals"
import { InstanceNotFound } from "@orgplane/schema/connectors"
import { MarketplaceNotFound } from "@orgplane/schema/marketplaces"
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Mutate } from "../../infra/mutate/index.ts"
import { SqlDatabase } from "../../infra/sql/client.ts"
import { expectRow } from "../../infra/sql/expect-row.ts"
import * as repo from "./modes-repo.ts"

const toWire = (row: repo.SettingsRow): Settings => ({
  deliveryMode: row.delivery_mode ?? "auto",
  fourEyes: row.four_eyes
})

const actorOf = ({ principal }: Member): string =>
  principal.kind === "session" ? principal.membershipId : principal.keyId

/** The delivery modes of an organization, its connector instances and its marketplaces. */
export class ApprovalSettingsService extends Context.Service<ApprovalSettingsService>()(
  "@orgplane/server/approvals/Settings",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const { mutate } = yield* Mutate

      const get = ({ organizationId }: Member) =>
        repo.settings(sql, organizationId).pipe(
          Effect.flatMap((row) => expectRow(row, "organization")),
          Effect.map(toWire)
        )

      const lock = ({ organizationId }: Member) =>
        Effect.flatMap(repo.lockSettings(sql, organizationId), (row) => expectRow(row, "organization"))

      const update = (caller: Member, input: typeof UpdateSettings.Type) =>
        mutate(
          caller,
          "approval.update_settings",
          Effect.gen(function* () {
            const { organizationId } = caller
            const before = toWire(yield* lock(caller))
            const after = { ...before, ...input }
            yield* repo.setSettings(sql, organizationId, after.deliveryMode, after.fourEyes)
            return { before, after, plugins: yield* repo.apply(sql, organizationId, "all", actorOf(caller)) }
          }),
          ({ after, before, plugins }) => ({ target: caller.organizationId, before, after: { ...after, plugins } })
        ).pipe(Effect.map(({ after }) => after))

      const getMode = <E>(caller: Member, scope: repo.Scope, id: string, notFound: () => E) =>
        Effect.flatMap(repo.find(sql, caller.organizationId, scope, id), (mode) =>
          mode === undefined ? Effect.fail(notFound()) : Effect.succeed({ deliveryMode: mode })
        )

      const setMode = <E>(
        caller: Member,
        action: "approval.set_instance_mode" | "approval.set_marketplace_mode",
        scope: repo.Scope,
        id: string,
        mode: DeliveryMode,
        notFound: () => E
      ) =>
        mutate(
          caller,
          action,
          Effect.gen(function* () {
            const { organizationId } = caller
            yield* lock(caller)
            const before = yield* getMode(caller, scope, id, notFound)
            yield* repo.set(sql, organizationId, scope, id, mode)
            return { before, plugins: yield* repo.apply(sql, organizationId, { scope, id }, actorOf(caller)) }
          }),
          ({ before, plugins }) => ({ target: id, before, after: { deliveryMode: mode, plugins } })
        ).pipe(Effect.as({ deliveryMode: mode }))

      const noInstance = () => new InstanceNotFound()
      const noMarketplace = () => new MarketplaceNotFound()

      return {
        get,
        update,
        getInstanceMode: (caller: Member, id: Id<"cin">) => getMode(caller, "connectorInstance", id, noInstance),
        setInstanceMode: (caller: Member, id: Id<"cin">, mode: DeliveryMode) =>
          setMode(caller, "approval.set_instance_mode", "connectorInstance", id, mode, noInstance),
        getMarketplaceMode: (caller: Member, id: Id<"mkt">) => getMode(caller, "marketplace", id, noMarketplace),
        setMarketplaceMode: (caller: Member, id: Id<"mkt">, mode: DeliveryMode) =>
          setMode(caller, "approval.set_marketplace_mode", "marketplace", id, mode, noMarketplace)
      } as const
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
