import type { Id } from "@orgplane/schema/shared/ids"
import { expect, it } from "vitest"
import { purge } from "../../../src/operations/purge/purge.ts"
import { makeControlPlane, makeWorkerToken, makeWorkspace, runSql } from "../../harness.ts"
import { stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()

it("deletes the revisions of desired states with their organization", async () => {
  const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane, "Other")]
  for (const { token } of [owner, await makeWorkerToken(plane, owner), other]) await stateOf(plane, token)
  const revisions = async ({ organizationId }: typeof owner) =>
    (await runSql(plane, (sql) => sql`SELECT FROM desired_state_revisions WHERE organization_id = ${organizationId}`))
      .length
  expect([await revisions(owner), await revisions(other)]).toEqual([2, 1])
  await runSql(plane, (sql) => purge(sql, owner.organizationId as Id<"org">))
  expect([await revisions(owner), await revisions(other)]).toEqual([0, 1])
})
