/** Configuration as code: concurrent plans and applies. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { engine, makeControlPlane, makeWorkspace, runSql } from "../harness.ts"
import { actions, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const document = { version: 1, teams: [{ key: "a", name: "A" }] }

describe("plans and applies of one organization", () => {
  it("wait for each other", async () => {
    const owner = await makeWorkspace(plane)
    const plans = await Promise.all([1, 2, 3, 4].map(() => planned(owner, document)))
    expect(plans.map(actions)).toEqual(plans.map(() => ["create teams a"]))
    const applies = await Promise.all([1, 2, 3].map(() => owner.call("POST", "/v1/configuration/apply", { document })))
    expect(applies.map(({ status }) => status)).toEqual([200, 200, 200])
    // The applies ran one after another, so only the first found a difference.
    expect(applies.filter(({ body }) => body.plan.hasChanges === true).length).toBe(1)
  })

  it.skipIf(engine === "pglite")(
    "fail without a change while another process runs one, and can be repeated with the same idempotency key",
    async () => {
      const owner = await makeWorkspace(plane)
      const key = { "idempotency-key": crypto.randomUUID() }
      const apply = () => owner.call("POST", "/v1/configuration/apply", { document }, key)
      const refusals = await runSql(plane, (sql) =>
        sql.withTransaction(
          Effect.andThen(
            sql`SELECT pg_advisory_xact_lock(hashtextextended(${`configuration/${owner.organizationId}`}, 11))`,
            Effect.promise(() =>
              Promise.all([
                owner.call("POST", "/v1/configuration/plan", { document }),
                apply(),
                owner.call("POST", "/v1/configuration/adopt", {})
              ])
            )
          )
        )
      )
      for (const { body, headers, status } of refusals) {
        expect([status, body.error, headers.get("retry-after")]).toEqual([503, "configuration_busy", "2"])
      }
      expect((await owner.call("GET", "/v1/teams")).body.items).toEqual([])
      expect((await apply()).status).toBe(200)
      expect(actions(await planned(owner, document))).toEqual([])
    }
  )
})
