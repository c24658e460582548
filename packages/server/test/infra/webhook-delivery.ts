import { makeId } from "../../src/infra/ids.ts"
import { type Person, runSql, type TestPlane } from "../harness.ts"

/** A delivery that affected an organization, for a repository that is no longer followed. */
export const makeDelivery = async (plane: TestPlane, workspace: Person): Promise<string> => {
  const id = makeId("dlv")
  const facts = {
    event: "push",
    action: null,
    installationId: null,
    repositoryId: "1",
    repositoryFullName: "acme/plugins",
    cloneUrl: "https://code.example/acme/plugins.git",
    ref: "refs/heads/main",
    before: null,
    after: null,
    archived: null,
    seenAt: null,
    repositoryIds: null
  }
  await runSql(
    plane,
    (sql) => sql`INSERT INTO webhook_deliveries (organization_id, id, delivery_id, event, status, reason, facts_json,
        connector_instance_ids, sync_event_ids, received_at, acted_at)
      VALUES (${workspace.organizationId}, ${id}, ${id}, 'push', 'ignored', 'target_unknown', ${sql.json(facts)}, '[]', '[]',
        now(), now())`
  )
  return id
}
