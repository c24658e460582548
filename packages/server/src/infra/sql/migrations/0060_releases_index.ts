import { createIndex, online } from "./online.ts"

/** The index for the check whether an organization has a plugin with a delivery mode. */
export default online(
  createIndex({
    name: "plugins_gated",
    table: "plugins",
    definition: "(organization_id, id) WHERE delivery_mode IS NOT NULL"
  })
)
