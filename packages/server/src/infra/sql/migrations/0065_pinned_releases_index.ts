import { createIndex, online } from "./online.ts"

/** The index for the assignments that pin a release. */
export default online(
  createIndex({
    name: "assignments_pinned",
    table: "assignments",
    definition: "(organization_id, plugin_id, pinned_digest) WHERE pinned_digest IS NOT NULL"
  })
)
