/** Configuration as code: an apply whose database fails at any write changes nothing, and can be repeated. */
import { expect, it } from "vitest"
import { engine, makeControlPlane, rowCounts, runSql } from "../harness.ts"
import { skill } from "../content/connectors.fixture.ts"
import { actions, applied, exported, makePeople, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

/** Lets the statement that writes as the n-th one fail: with an error, or because its connection ends. */
const installCrash = () =>
  runSql(plane, (sql) =>
    sql.unsafe(`DO $$ DECLARE name text; BEGIN
      CREATE SCHEMA crash; SET LOCAL search_path = crash; CREATE SEQUENCE crash_writes; CREATE TABLE crash_at (n bigint, ends boolean); INSERT INTO crash_at VALUES (0, false);
      CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = crash AS 'BEGIN
        IF nextval(''crash_writes'') = (SELECT n FROM crash_at) THEN
          IF (SELECT ends FROM crash_at) THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
          RAISE EXCEPTION ''The database failed.'';
        END IF;
        RETURN NULL;
      END';
      FOR name IN SELECT table_name FROM information_schema.tables WHERE table_schema = 'orgplane'
        AND table_type = 'BASE TABLE' AND table_name NOT IN ('rate_windows', 'sessions') LOOP
        EXECUTE format('CREATE TRIGGER crash BEFORE INSERT OR UPDATE OR DELETE ON orgplane.%I FOR EACH STATEMENT EXECUTE FUNCTION crash.crash()', name);
      END LOOP;
    END $$`)
  )

/** Counts writes from now on, and lets the n-th one fail; 0 for none. */
const crashAt = (n: number, ends: boolean) =>
  runSql(plane, (sql) => sql`UPDATE crash.crash_at SET n = ${n}, ends = ${ends}`).then(() =>
    runSql(plane, (sql) => sql`SELECT setval('crash.crash_writes', 1, false) AS v`)
  )
const writes = async () => {
  const [row] = await runSql(
    plane,
    (sql) =>
      sql<{
        readonly n: number
      }>`SELECT (last_value - CASE WHEN is_called THEN 0 ELSE 1 END)::int AS n FROM crash.crash_writes`
  )
  return row?.n ?? 0
}

it.skipIf(engine === "pglite")(
  "an apply whose database fails at any write leaves the organization as it is, and succeeds when it is repeated",
  async () => {
    const { emails, owner } = await makePeople(plane, 3)
    const [first, second, third] = emails
    await applied(owner, {
      teams: [
        { key: "old", name: "Old", members: [first, second] },
        { key: "gone", name: "Gone" }
      ],
      marketplaces: [{ key: "tools", name: "Tools", access: [{ team: "gone", role: "viewer" }] }]
    })
    const objects = [{ type: "skill", relativePath: "skills/review/SKILL.md", rawSourceText: skill("review") }]
    const document = {
      roles: [{ key: "reader", name: "Reader", permissions: ["plugins:read"] }],
      teams: [{ key: "new", name: "New", members: [second, third] }],
      marketplaces: [
        { key: "tools", name: "Toolbox", access: [{ team: "new", role: "editor" }], deliveryMode: "hold_all" }
      ],
      plugins: [{ key: "review", name: "Review", objects, marketplaces: ["tools"] }],
      assignments: [{ key: "a", plugin: "review", mode: "required", to: { teams: ["new"] } }],
      rolloutSettings: {
        rings: [{ name: "Early", percent: 10, soakMinutes: 5, promotion: "automatic", teams: [], members: [] }]
      },
      approvalSettings: { deliveryMode: "hold_growth", fourEyes: true },
      moved: [{ kind: "teams", from: "old", to: "new" }],
      prune: { teams: true },
      managed: { teams: "warn" }
    }
    await owner.call("GET", "/v1/me")
    const plan = await planned(owner, document)
    expect(plan.problems).toEqual([])
    await installCrash()
    // A plan makes the same writes, and rolls them back.
    await crashAt(0, false)
    await planned(owner, document)
    const count = await writes()
    expect(count).toBeGreaterThan(30)
    const [before, rows] = [JSON.stringify(await exported(owner)), await rowCounts(plane)]
    for (let n = 1; n <= count; n += n < 10 ? 1 : 3) {
      await crashAt(n, n % 2 === 0)
      const { status } = await owner.call("POST", "/v1/configuration/apply", {
        document: { version: 1, ...document },
        planDigest: plan.planDigest
      })
      expect([n, status >= 500]).toEqual([n, true])
      await crashAt(0, false)
      expect(JSON.stringify(await exported(owner))).toBe(before)
      expect(await rowCounts(plane)).toEqual(rows)
    }
    expect((await applied(owner, document, plan.planDigest)).changes).toEqual(plan.changes)
    expect(actions(await planned(owner, document))).toEqual([])
  },
  240_000
)
