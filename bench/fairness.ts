/**
 * Latency of one organization's `GET /v1/teams` during another organization's heavy reads, on the embedded database.
 */
import * as Effect from "effect/Effect"
import { BootstrapService } from "../packages/server/src/identity/bootstrap/service.ts"
import { SqlDatabase } from "../packages/server/src/infra/sql/client.ts"
import { start } from "../packages/server/src/start.ts"
import { say } from "./harness.ts"

export interface FairnessOptions {
  readonly dimensions: number
  readonly events: number
  readonly atOnce: number
  readonly asks: number
}

const quantile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

export const fairnessBench = async ({ asks, atOnce, dimensions, events }: FairnessOptions): Promise<string> => {
  const plane = await start({
    database: { kind: "pglite", dataDir: "memory" },
    secretKeys: ["a-secret-of-the-benchmark-and-of-nothing-else"],
    workers: false,
    modelsUrl: "off"
  })
  try {
    const run = <A, E>(effect: Effect.Effect<A, E, BootstrapService>) =>
      Effect.runPromise(Effect.provideContext(effect, plane.services))
    const workspace = (name: string) => run(Effect.flatMap(BootstrapService, (service) => service.seedWorkspace(name)))
    const [heavy, light] = [await workspace("Heavy"), await workspace("Light")]
    const sql = await Effect.runPromise(Effect.provideContext(SqlDatabase, plane.services))
    say(`Writing ${dimensions} dimensions and ${events} audit events`)
    await Effect.runPromise(
      Effect.all([
        sql`INSERT INTO telemetry_dimensions (organization_id, type, value, label, events, first_seen_at, last_seen_at)
          SELECT ${heavy.organizationId}, 'skill', 'skill ' || md5(n::text), 'A label of ' || n, 1, now(), now()
          FROM generate_series(1, ${dimensions}::int) n`,
        sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, target_id, request_id, created_at)
          SELECT 'aud_' || lpad(n::text, 26, '0'), ${heavy.organizationId}, 'team.create', 'system', 'tem_' || n, 'req', now()
          FROM generate_series(1, ${events}::int) n`
      ])
    )
    const ask = async (token: string, method: string, path: string) => {
      const response = await plane.fetch(
        new Request(`http://localhost${path}`, { method, headers: { authorization: `Bearer ${token}` } })
      )
      await response.text()
      return response.status
    }
    // Seals the audit events, so that each run reads the same rows.
    await ask(heavy.token, "POST", "/v1/audit-events/verify")
    const lines = [`| Load | Requests | p50 | p99 | Longest | Heavy requests completed |`, `|---|---|---|---|---|---|`]
    const rounds: ReadonlyArray<readonly [name: string, method: string, path: string, atOnce: number]> = [
      ["nothing", "GET", "", 0],
      [`${atOnce} × dimensions?q=`, "GET", "/v1/telemetry/dimensions?q=nothing-has-this", atOnce],
      [`${atOnce} × audit export`, "GET", "/v1/audit-events/export?action=nothing.at_all", atOnce],
      ["2 × audit verify", "POST", "/v1/audit-events/verify", 2]
    ]
    for (const [name, method, path, parallel] of rounds) {
      const flooding = { going: true }
      let answered = 0
      const flood = async () => {
        while (flooding.going) {
          await Effect.runPromise(sql`DELETE FROM rate_windows`)
          if ((await ask(heavy.token, method, path)) === 200) answered += 1
        }
      }
      const floods = Array.from({ length: parallel }, flood)
      const times: Array<number> = []
      for (let n = 0; n < asks; n += 1) {
        const began = performance.now()
        const status = await ask(light.token, "GET", "/v1/teams")
        if (status === 200) times.push(performance.now() - began)
        // Stays below the rate limit of a session.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      flooding.going = false
      await Promise.all(floods)
      const sorted = times.toSorted((left, right) => left - right)
      const shown = [quantile(sorted, 0.5), quantile(sorted, 0.99), sorted.at(-1) ?? 0].map(
        (ms) => `${ms.toFixed(0)} ms`
      )
      lines.push(`| ${name} | ${times.length} | ${shown.join(" | ")} | ${answered} |`)
      say(lines.at(-1) ?? "")
    }
    return lines.join("\n")
  } finally {
    await plane.dispose()
  }
}
