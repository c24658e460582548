import * as Effect from "effect/Effect"
import { statements } from "./statements.ts"

/**
 * Memberships in the order of their contents, with the container, so that the newest contents can be compared with a
 * caller's containers without reading the table. These indexes replace those without the container.
 */
export default Effect.suspend(() =>
  statements([
    `CREATE INDEX plugin_memberships_content ON plugin_memberships (organization_id, config_object_id, plugin_id)
    WHERE removed_at IS NULL`,
    `CREATE INDEX marketplace_memberships_content ON marketplace_memberships (organization_id, plugin_id, marketplace_id)
    WHERE removed_at IS NULL`,
    `DROP INDEX plugin_memberships_object`,
    `DROP INDEX marketplace_memberships_plugin`
  ])
)
