import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Statement from "effect/sql/Statement"
import { beforeEach, describe, expect, it } from "vitest"
import { engine, makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { bodyOf, callAs, forgetLimits, makeCrews, makeThings, operations, type Operation } from "./http-world.ts"
import { explaining, multiply } from "./unanalyzed.fixture.ts"

const copies = 2000
/** A page is 50 rows, and each may need a few lookups in other tables. */
const rowsMax = 1000
/**
 * The bound for statements that read each of an organization's rows once, through a few joins; the largest table has 5
 * × copies.
 */
const onceEach = 60 * copies

/** Operations that read all rows of a kind in the organization, with the reason. */
const counting: Readonly<Record<string, string>> = {
  "users.desktopPolicy": "Every policy may concern the member.",
  "users.library": "Everything that an administrator sees, merged by name.",
  "configurationSource.set": "Ends the held runs. The copies are all held; an organization has one held run at most.",
  "desktopPolicies.create": "Names and the number of policies are judged.",
  "desktopPolicies.update": "Names and the number of policies are judged.",
  "desktopPolicies.simulate": "What changes for everybody.",
  "desktopPolicies.effective": "Every policy may concern the member.",
  "assignments.create": "Assignments are counted.",
  "assignments.simulate": "What changes for everybody.",
  "assignments.effective": "Every assignment may concern the member.",
  "assignments.own": "Every assignment may concern the member.",
  "assignments.setChoice": "Every assignment may concern the member.",
  "assignments.resetChoice": "Every assignment may concern the member.",
  "assignments.update": "A handful of ids is joined with an organization's members and teams.",
  "assignments.list": "A page may begin with all of a small table.",
  "approvals.updateSettings": "The mode concerns all plugins.",
  "approvals.setInstanceMode": "The plugins of a connector are selected from all plugins.",
  "desiredState.get": "Everything that the member sees.",
  "desiredState.getMember": "Everything that the member sees.",
  "delivery.status": "All devices are counted.",
  "delivery.usage": "All devices are counted.",
  "rollouts.explain": "Every assignment may concern the member.",
  "rollouts.preview": "Every member may be in a ring.",
  "rollouts.updateSettings": "A handful of ids is joined with an organization's members and teams.",
  "members.impact": "Everything that one member has is counted.",
  "teams.impact": "Everything that one team has is counted.",
  "invitations.batch": "Whether members have the addresses, by any spelling.",
  "invitations.create": "Whether a member has the address, by any spelling.",
  "apiKeys.create": "Keys are counted.",
  "configObjects.attachPlugin": "A handful of ids is joined with an organization's plugins.",
  "configObjects.detachPlugin": "A handful of ids is joined with an organization's plugins.",
  "configObjects.list": "An administrator's page may begin with all of a small table.",
  "plugins.list": "An administrator's page may begin with all of a small table.",
  "connectors.deleteMapping": "A handful of ids is joined with an organization's mappings.",
  "connectors.configuration": "Marketplaces are found by what their target says.",
  "telemetry.adoption": "Figures of the organization.",
  "attention.list": "Objects that need attention are selected from all objects.",
  "search.objects": "An administrator's page may begin with all of a small table.",
  "admin.metrics": "Figures of the organization.",
  "admin.overview": "Figures of the organization.",
  "scim.createDirectory": "Directories are counted.",
  "scim.reconcile": "All of a directory is reconciled.",
  "ssoDomains.create": "Domains are counted.",
  "webhookEndpoints.create": "Endpoints are counted.",
  "eventStreams.create": "Streams are counted.",
  "sso.enforce": "Whether an owner keeps a way in.",
  "webhooks.redeliver": "Connectors are found by their repository."
}

/** Operations that would delete the data of other tests, read everything, or send requests to other hosts. */
const leftOut =
  /export|configuration[.](plan|apply|adopt)|verify|[.](remove|revoke|archive|transfer|cancel|disable|leave)|sync$|setup/i
const isTested = (operation: Operation) => !leftOut.test(operation.operationId)

const { during, transformer } = explaining()
const plane = await makeControlPlane({ workers: false }, Layer.succeed(Statement.CurrentTransformer, transformer))
const owner = await makeWorkspace(plane)
const things = await makeThings(plane, owner, await makeCrews(owner))
const rowCounts = await multiply(plane, copies)
// Without workers, all copies of events would be unsealed. Servers seal events within seconds.
await runSql(plane, (sql) =>
  Effect.andThen(
    sql`ALTER TABLE audit_events DISABLE TRIGGER USER`,
    sql`UPDATE audit_events a SET sequence = s.n FROM (SELECT id,
        row_number() OVER (PARTITION BY organization_id ORDER BY id) AS n FROM audit_events) s WHERE s.id = a.id`
  )
)

beforeEach(() => forgetLimits(plane))

it("has thousands of rows in tables that were never analyzed", async () => {
  expect(Object.values(rowCounts).filter((rows) => rows >= copies).length).toBeGreaterThanOrEqual(30)
})

let done = 0

// A PostgreSQL server analyzes its tables itself, and its planner has other costs: its own ANALYZE decides there.
describe.runIf(engine === "pglite")(
  "in a database that was never analyzed, an operation reads a bounded number of rows:",
  () => {
    it.each(operations.filter(isTested).map((operation) => [operation.operationId, operation] as const))(
      "%s",
      async (operationId, operation) => {
        const reads = await during(plane, async () => {
          const { status } = await callAs(plane, owner.token, operation, things, bodyOf(operation, things, plane))
          if (status < 300) done += 1
        })
        const bound = operationId in counting ? onceEach : rowsMax
        expect(reads.filter(({ rows }) => rows > bound)).toEqual([])
      }
    )
  }
)

it.runIf(engine === "pglite")("called most of the operations successfully", () => {
  expect(done).toBeGreaterThan(130)
})
