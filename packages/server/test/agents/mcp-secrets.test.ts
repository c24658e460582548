/** Secrets in a tool call appear nowhere afterwards: no log, error, metric, audit row, table or inspection. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, expect, it } from "vitest"
import { faultyServer } from "../../src/infra/adapters/mcp/fixtures/faulty.ts"
import { OAuthTokens } from "../../src/agents/oauth/index.ts"
import { makeControlPlane, makeWorkspace, runSql, withServices } from "../harness.ts"
import { keepWritten } from "../written.fixture.ts"

const written = keepWritten()

const plane = await makeControlPlane({
  outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] },
  logLevel: "debug",
  metricsToken: "a token for metrics"
})
/** The limit of sixty calls per minute is too low for this test. */
const owners = [await makeWorkspace(plane), await makeWorkspace(plane)] as const
const [owner] = owners
const server = await faultyServer()
afterAll(() => server.close())

const alnum = (seed: number) =>
  `Cnry${(seed * 7_919_317 + 104_729).toString(36)}x${(seed * 15_485_863 + 7).toString(36)}Z9`

/** Credentials in the formats of real servers, each with its own text. */
const shapes: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => `sk-${text}`,
  (text) => `sk_live_${text}`,
  (text) => `ghp_${text}`,
  (text) => `xoxb-${text}`,
  (text) => `${text}+/=`,
  (text) => `${text}==`,
  (text) => `${text}%2F&x=1`,
  (text) => `${text}"quoted"`,
  (text) => `${text}\\back\\slash`,
  (text) => `eyJhbGciOiJub25lIn0.${text}.${text}`,
  (text) => `${text}:${text}`,
  (text) => `https://${text}@host.example/`,
  (text) => `${text.slice(0, 6)} ${text.slice(6)} spaced`,
  (text) => `<${text}>`,
  (text) => `{"k":"${text}"}`,
  (text) => text.toUpperCase(),
  (text) => `${text}~${text}._-`,
  ...[
    ...[
      "sk-ant-",
      "sk-proj-",
      "rk_live_",
      "pk_live_",
      "gho_",
      "ghu_",
      "ghs_",
      "ghr_",
      "github_pat_",
      "glpat-",
      "xoxp-"
    ],
    ...[
      "xoxa-",
      "xapp-",
      "AKIA",
      "ASIA",
      "AIza",
      "ya29.",
      "1//0",
      "npm_",
      "pypi-",
      "dop_v1_",
      "hf_",
      "lin_api_",
      "ntn_"
    ],
    ...["secret_", "shpat_", "SG.", "key-", "EAA", "PMAK-", "figd_", "token_"]
  ].map((prefix) => (text: string) => `${prefix}${text}`)
]

const tables = () =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      const names = yield* sql<{
        name: string
      }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
      const rows: Array<string> = []
      for (const { name } of names) {
        const tableRows = yield* sql<{ whole: string }>`SELECT t::text AS whole FROM ${sql(name)} t`
        rows.push(...tableRows.map(({ whole }) => `${name}: ${whole}`))
      }
      return rows.join("\n")
    })
  )

it("leaks no credential of many formats that a server echoes in its own encoding", async () => {
  const secrets: Array<string> = []
  const inspected: Array<string> = []
  expect(shapes).toHaveLength(50)
  for (const [index, shape] of shapes.entries()) {
    const owner = owners[index % 2 === 0 ? 0 : 1]
    const secret = shape(alnum(index + 1))
    const parameter = alnum(index + 101)
    const createResponse = await owner.call("POST", "/v1/mcp-connections", {
      name: `Echo ${index}`,
      url: `${server.url}?tenant=${parameter}`,
      authType: "apikey",
      credentialMode: "shared",
      apiKeyHeader: index % 2 === 0 ? "authorization" : "x-service",
      ...(index % 3 === 0 ? { apiKeyScheme: null } : {})
    })
    expect(createResponse.status).toBe(201)
    const id = createResponse.body.mcpConnection.id
    await withServices(
      plane,
      Effect.flatMap(OAuthTokens, (tokens) =>
        tokens.storeKey(
          {
            organizationId: owner.organizationId as `org_${string}`,
            purpose: "mcp",
            subjectId: id,
            membershipId: null
          },
          Redacted.make(secret)
        )
      )
    )
    // Arguments with sensitive names, which come back in the result.
    const password = alnum(index + 201)
    const encoded = Buffer.from(`me:${secret}`).toString("base64")
    for (const tool of ["echo", "tool-fails"]) {
      const response = await owner.call("POST", `/v1/mcp-connections/${id}/tools/call`, {
        toolName: tool,
        arguments: { password, note: `said ${secret} and ${encodeURIComponent(secret)} and ${encoded}` }
      })
      expect(response.status).toBe(tool === "echo" ? 200 : 502)
      // The result belongs to the caller, so only the credential is removed from it.
      const { result, ...rest } = response.body
      if (tool === "echo") expect(JSON.stringify(result)).toContain(password)
      expect(JSON.stringify(result ?? null)).not.toContain(JSON.stringify(secret).slice(1, -1))
      inspected.push(JSON.stringify(rest))
    }
    secrets.push(secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), encoded, parameter, password)
  }
  expect(secrets.length).toBeGreaterThanOrEqual(100)
  const metrics = await owner.call("GET", "/v1/metrics", undefined, { authorization: "Bearer a token for metrics" })
  expect(metrics.status).toBe(200)
  const audits = await Promise.all(owners.map((one) => one.call("GET", "/v1/audit-events?limit=100")))
  const audit = { text: audits.map(({ text }) => text).join("\n") }
  const rows = await tables()
  expect(rows).toContain("mcp_connection.begin_tool_call")
  expect(written.join("")).toContain("MCP tool called.")
  const places = { inspected: inspected.join("\n"), metrics: metrics.text, audit: audit.text, log: written.join("\n") }
  const isParameter = (index: number) => index % 6 === 4
  for (const [index, secret] of secrets.entries()) {
    for (const [place, text] of Object.entries(places))
      expect([place, secret, text.includes(secret)]).toEqual([place, secret, false])
    // Only the URL is stored, as it was entered.
    if (!isParameter(index)) expect([secret, rows.includes(secret)]).toEqual([secret, false])
  }
})
