import { defaultSettings, type RolloutSettings } from "@orgplane/schema/rollouts"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"

interface SettingsRow {
  readonly rings_json: RolloutSettings["rings"]
  readonly thresholds_json: RolloutSettings["thresholds"]
  readonly freezes_json: RolloutSettings["freezes"]
}

/** The settings of the organization. */
export const settings = (sql: Sql, organizationId: Id<"org">) =>
  sql<SettingsRow>`SELECT rings_json, thresholds_json, freezes_json FROM rollout_settings
    WHERE organization_id = ${organizationId}`.pipe(
    Effect.map(([row]): RolloutSettings =>
      row === undefined
        ? defaultSettings
        : { rings: row.rings_json, thresholds: row.thresholds_json, freezes: row.freezes_json }
    )
  )

/** Locks the settings until the transaction ends. */
export const lockSettings = (sql: Sql, organizationId: Id<"org">) =>
  sql`SELECT 1 AS one FROM organizations WHERE id = ${organizationId} FOR UPDATE`

export const setSettings = (sql: Sql, organizationId: Id<"org">, { freezes, rings, thresholds }: RolloutSettings) =>
  sql`INSERT INTO rollout_settings (organization_id, rings_json, thresholds_json, freezes_json, updated_at)
    VALUES (${organizationId}, ${sql.json(rings)}, ${sql.json(thresholds)}, ${sql.json(freezes)}, now())
    ON CONFLICT (organization_id) DO UPDATE SET rings_json = excluded.rings_json,
      thresholds_json = excluded.thresholds_json, freezes_json = excluded.freezes_json, updated_at = excluded.updated_at`
