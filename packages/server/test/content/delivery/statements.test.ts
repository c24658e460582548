import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { DesiredStateService } from "../../../src/content/delivery/service.ts"
import { layerOwnDesktopPolicy } from "../../../src/enterprise/desktop-policies/service.ts"
import { makeControlPlane, makeWorkspace, runSql, withServices } from "../../harness.ts"
import { counted, memberOf } from "../../infra/statements.fixture.ts"
import { requested } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const caller = memberOf(owner, "plugins:read", "marketplaces:read", "mcpConnections:read", "llmProviders:read")

/** Adds plugins until the organization has this many. */
const growTo = (count: number) =>
  runSql(
    plane,
    (sql) => sql`INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
      SELECT ${owner.organizationId}, 'plg_01kf0x5me8e6razepq' || lpad(n::text, 8, '0'), 'Plugin ' || n, now(), now()
      FROM generate_series(1 + (SELECT count(*) FROM plugins WHERE organization_id = ${owner.organizationId}), ${count}::int) n`
  )

/** Requests the state until the digests of all archives are stored. */
const settled = async () => {
  for (let tries = 0; tries < 20; tries += 1) {
    const { status, text } = await requested(plane, owner.token)
    if (status === 200) return JSON.parse(text)
    expect(status).toBe(503)
  }
  throw new Error("The archives were not created.")
}

const layer = Layer.fresh(DesiredStateService.layer).pipe(Layer.provide(layerOwnDesktopPolicy))

describe("the desired state", () => {
  it.each([1, 100, 1000])(
    "takes at most six statements, and one if nothing changes, with %i plugins",
    async (count) => {
      await growTo(count)
      expect((await settled()).plugins.length).toBe(count)
      // A process that has issued no state yet: the first request reads everything, the second only what may change.
      const states = await withServices(plane, Effect.provide(DesiredStateService, layer))
      const changed = await counted(
        plane,
        states.issue(caller, () => false)
      )
      const unchanged = await counted(
        plane,
        states.issue(caller, (etag) => etag === changed.response.etag)
      )
      expect([changed.response.kind, unchanged.response.kind]).toEqual(["state", "unchanged"])
      expect(unchanged.count).toBe(1)
      // The first request of a process also reads the events that are not sealed yet.
      expect(changed.count).toBeLessThanOrEqual(6)
    }
  )
})
