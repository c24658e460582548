/** What `GET /v1/metrics` returns: the metrics of the list, with bounded labels, and the state of the installation. */
import { describe, expect, it } from "vitest"
import { type Definition, definitions } from "../../src/infra/metrics/definitions.ts"
import { connect, imported, marketplace, repositoryIn, skill } from "../content/connectors.fixture.ts"
import { recordedOf, send } from "../content/webhooks.fixture.ts"
import { call, makeControlPlane, makeWorkspace, runSql, signInByEmail } from "../harness.ts"
import { sealEvents } from "../seal-events.ts"

const metricsToken = "the token of the metrics"
const plane = await makeControlPlane({ metricsToken, logLevel: "none" })

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const scraped = async (): Promise<{ readonly text: string; readonly samples: ReadonlyArray<Sample> }> => {
  const response = await call(plane, metricsToken)("GET", "/v1/metrics")
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8"
  ])
  const samples = response.text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)(?: \d+)?$/u.exec(line) ?? []
      expect([line, name]).not.toEqual([line, ""])
      return {
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu)].map(([, key = "", text = ""]) => [key, text])
        ),
        value: Number(value)
      }
    })
  return { text: response.text, samples }
}

const valueOf = (samples: ReadonlyArray<Sample>, name: string, labels: Readonly<Record<string, string>> = {}) =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
  )?.value

const listed = Object.entries(definitions) as ReadonlyArray<readonly [string, Definition]>

/** The name in the list: a histogram has three names. */
const nameOf = ({ name }: Sample) => {
  const base = name.replace(/_(?:bucket|sum|count)$/u, "")
  return listed.some(([known, { type }]) => known === base && type === "histogram") ? base : name
}

describe("GET /v1/metrics", () => {
  it("does not exist without the token, or with another one", async () => {
    for (const token of [undefined, "another token"])
      expect((await call(plane, token)("GET", "/v1/metrics")).status).toBe(404)
  })

  it("does not exist on a server without a configured token", async () => {
    const without = await makeControlPlane()
    expect((await call(without, metricsToken)("GET", "/v1/metrics")).status).toBe(404)
  })

  it("returns exactly the metrics of the list, each with its type, its help and its labels", async () => {
    const owner = await makeWorkspace(plane)
    const repository = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": marketplace(["review"]),
      "plugins/review/skills/review/SKILL.md": skill("review")
    })
    await imported(owner, await connect(owner, repository))
    await owner.call("POST", "/v1/mcp-connections/resolve", { query: "https://127.0.0.1/mcp" })
    const { samples, text } = await scraped()
    expect([...new Set(samples.map(nameOf))].sort()).toEqual(listed.map(([name]) => name).sort())
    for (const [name, { help, type }] of listed) {
      expect(text).toContain(`# HELP ${name} ${help}\n`)
      expect(text).toContain(`# TYPE ${name} ${type}\n`)
    }
    for (const sample of samples) {
      const labels = Object.keys(sample.labels).filter((label) => label !== "le" || !sample.name.endsWith("_bucket"))
      const { labels: declared } = listed.find(([name]) => name === nameOf(sample))?.[1] ?? { labels: {} }
      expect([sample.name, labels.sort()]).toEqual([sample.name, Object.keys(declared).sort()])
      expect([sample.name, Number.isFinite(sample.value)]).toEqual([sample.name, true])
    }
    expect(valueOf(samples, "orgplane_syncs_total", { status: "completed" })).toBeGreaterThanOrEqual(1)
    expect(valueOf(samples, "orgplane_sync_duration_seconds_count")).toBeGreaterThanOrEqual(1)
    expect(valueOf(samples, "orgplane_outbound_requests_total", { outcome: "blocked" })).toBeGreaterThanOrEqual(1)
    expect(valueOf(samples, "orgplane_database_statements_total")).toBeGreaterThan(10)
    expect(valueOf(samples, "orgplane_database_size_bytes")).toBeGreaterThan(1_000_000)
  })

  it("follows the conventions of Prometheus for names", () => {
    for (const [name, { help, labels, type }] of listed) {
      expect(name).toMatch(/^orgplane_[a-z][a-z0-9_]*[a-z0-9]$/u)
      expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"])
      expect([name, /(?:millis|_ms|minutes|kilobytes|megabytes)/u.test(name)]).toEqual([name, false])
      expect([name, help.endsWith(".") && !help.includes("\n")]).toEqual([name, true])
      for (const label of Object.keys(labels)) expect(label).toMatch(/^[a-z]+$/u)
    }
  })

  it("has no more series after requests with any paths, IDs, parameters and organizations", async () => {
    const send = call(plane)
    const request = async (index: number) => {
      await send("GET", `/v1/nothing/${index}`)
      await send("GET", `/v1/plugins/plg_${index}?zz${index}=1`)
      await send("PROPFIND", `/v1/plugins/${index}`)
    }
    await request(0)
    await makeWorkspace(plane)
    // Another status, such as that of a rate limit, is another series.
    const series = async () => {
      const { samples } = await scraped()
      return new Set(
        samples.map(({ labels, name }) =>
          JSON.stringify([name, Object.entries(labels).filter(([label]) => label !== "status")])
        )
      )
    }
    const before = await series()
    for (let index = 1; index <= 100; index += 1) await request(index)
    await makeWorkspace(plane)
    expect(await series()).toEqual(before)
  })

  it("counts emails, and pending decisions, jobs and events", async () => {
    // Numbers of the installation are read at most once in ten seconds, and this control plane has read none yet.
    const fresh = await makeControlPlane({ metricsToken, logLevel: "none", workers: false })
    await signInByEmail(fresh, "metrics@acme.example")
    const owner = await makeWorkspace(fresh)
    await runSql(
      fresh,
      (sql) => sql`INSERT INTO scim_holds (organization_id, id, directory_id, status, active_before, created_at)
        VALUES (${owner.organizationId}, 'sch_metrics', 'scd_metrics', 'pending', 3, now())`
    )
    await runSql(
      fresh,
      (sql) => sql`INSERT INTO webhook_inbox (delivery_id, event, facts_json, bytes, due_at)
        VALUES ('metrics', 'push', '{}', 2, now() + interval '1 hour'),
          ('metrics', 'due', '{}', 2, now() - interval '2 hours')`
    )
    await runSql(
      fresh,
      (sql) => sql`INSERT INTO mcp_connections (organization_id, id, name, url, url_key, auth_type, credential_mode,
          drift_detected_at, drift_decision, created_at, updated_at)
        VALUES (${owner.organizationId}, 'mcp_one', 'one', 'https://one.example', 'one.example', 'none', 'shared', now(), NULL,
            now(), now()),
          (${owner.organizationId}, 'mcp_two', 'two', 'https://two.example', 'two.example', 'none', 'shared', now(), 'reject',
            now(), now())`
    )
    for (const [minutes, lease] of [
      [-60, null],
      [60, null],
      [-60, 60]
    ]) {
      const { body } = await owner.call("POST", "/v1/webhook-endpoints", {
        name: "Hook",
        url: "https://hooks.example/"
      })
      await runSql(
        fresh,
        (sql) => sql`UPDATE webhook_endpoints SET due_at = now() + make_interval(mins => ${minutes}),
          lease_until = now() + make_interval(mins => ${lease}) WHERE id = ${body.item.id}`
      )
    }
    const { text } = await call(fresh, metricsToken)("GET", "/v1/metrics")
    for (const sample of [
      'orgplane_queue_jobs{queue="webhook_endpoints",state="delayed"} 1',
      'orgplane_queue_jobs{queue="webhook_endpoints",state="running"} 1',
      'orgplane_queue_jobs{queue="webhook_endpoints",state="waiting"} 1',
      'orgplane_webhook_attempts_total{outcome="delivered"} 0',
      'orgplane_decisions_pending{kind="mcp_drift"} 1',
      'orgplane_queue_jobs{queue="worker_runtimes",state="waiting"} 0',
      "orgplane_mails_waiting 0",
      'orgplane_decisions_pending{kind="scim_hold"} 1',
      'orgplane_queue_jobs{queue="webhook_inbox",state="delayed"} 1',
      'orgplane_queue_jobs{queue="webhook_inbox",state="waiting"} 1',
      "orgplane_installation_readable 1",
      'orgplane_mails_total{outcome="sent"} 1'
    ])
      expect(text.split("\n")).toContain(sample)
    const oldest = /^orgplane_queue_oldest_seconds\{queue="webhook_inbox"\} (\d+)/mu.exec(text)?.[1]
    expect(Number(oldest)).toBeGreaterThanOrEqual(7200)
    const waiting = /^orgplane_queue_oldest_seconds\{queue="webhook_endpoints"\} (\d+)/mu.exec(text)?.[1]
    expect(Number(waiting)).toBeGreaterThanOrEqual(3600)
    expect(Number(/^orgplane_audit_unsealed_events (\d+)$/mu.exec(text)?.[1])).toBeGreaterThan(0)
  })

  it("shows how long the oldest event has waited for a stream that is not paused", async () => {
    const fresh = await makeControlPlane({ metricsToken, logLevel: "none", workers: false })
    const owner = await makeWorkspace(fresh)
    const destination = { kind: "https", url: "https://siem.example/" }
    const streams = []
    for (const name of ["Current", "Paused"]) {
      streams.push((await owner.call("POST", "/v1/event-streams", { name, destination })).body.item)
    }
    await owner.call("POST", `/v1/event-streams/${streams[1].id}/pause`)
    await runSql(
      fresh,
      (sql) => sql`INSERT INTO audit_events (id, organization_id, action, actor_kind, created_at)
        SELECT 'aud_' || hours, ${owner.organizationId}, 'plugin.create', 'system', now() - make_interval(hours => hours)
        FROM unnest(ARRAY[4, 2]) hours`
    )
    await sealEvents(fresh)
    const startBefore = (id: string, stream: string) =>
      runSql(
        fresh,
        (sql) => sql`UPDATE event_streams SET position = (SELECT sequence - 1 FROM audit_events
            WHERE organization_id = ${owner.organizationId} AND id = ${id})
          WHERE organization_id = ${owner.organizationId} AND id = ${stream}`
      )
    await startBefore("aud_2", streams[0].id)
    await startBefore("aud_4", streams[1].id)
    const { text } = await call(fresh, metricsToken)("GET", "/v1/metrics")
    const seconds = Number(/^orgplane_event_stream_undelivered_seconds (\S+)$/mu.exec(text)?.[1])
    expect(seconds).toBeGreaterThanOrEqual(2 * 3600)
    expect(seconds).toBeLessThan(4 * 3600)
  })

  it("counts webhook deliveries by outcome, including those that are rejected", async () => {
    const counts = async () => {
      const { samples } = await scraped()
      return Object.fromEntries(
        samples
          .filter(({ name, value }) => name === "orgplane_webhook_deliveries_total" && value > 0)
          .map(({ labels, value }) => [labels["outcome"], value])
      )
    }
    const body = JSON.stringify(recordedOf("push")[0])
    expect((await send(plane, { body })).body).toMatchObject({ accepted: false })
    expect((await send(plane, { body, signature: "sha256=" + "0".repeat(64) })).status).toBe(401)
    expect((await send(plane, { body: "{}", signature: null })).status).toBe(401)
    expect((await send(plane, { body: "not JSON" })).status).toBe(400)
    expect(await counts()).toEqual({ ignored: 1, invalid_signature: 2, invalid: 1 })
  })
})
