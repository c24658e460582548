import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { askHealth, cpuMicros, median, openDatabase, say, startCandidate } from "./harness.ts"

export interface LlmOptions {
  readonly providers: number
  /** Models of each provider. */
  readonly models: number
  /** Requests of each kind. The limit is 600 per minute in total. */
  readonly calls: number
}

const member = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value
  )

/** A catalog in the public format, of a configurable size. */
const catalogOf = (providers: number, models: number): string =>
  JSON.stringify(
    Object.fromEntries(
      Array.from({ length: providers }, (_, p) => [
        `provider-${p}`,
        {
          id: `provider-${p}`,
          name: `Provider ${p}`,
          env: [`PROVIDER_${p}_API_KEY`],
          npm: "@ai-sdk/openai-compatible",
          api: `https://api-${p}.example/v1`,
          doc: `https://docs-${p}.example`,
          models: Object.fromEntries(
            Array.from({ length: models }, (_, m) => [
              `family-${m % 7}/model-${m}`,
              {
                id: `family-${m % 7}/model-${m}`,
                name: `Model ${m} of family ${m % 7}`,
                attachment: m % 2 === 0,
                reasoning: m % 3 === 0,
                tool_call: true,
                temperature: true,
                knowledge: "2026-01",
                release_date: "2026-02-19",
                last_updated: "2026-02-19",
                modalities: { input: ["text", "image"], output: ["text"] },
                open_weights: false,
                cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
                limit: { context: 200_000, output: 64_000 }
              }
            ])
          )
        }
      ])
    )
  )

const one = (value: number) => value.toFixed(1)

/** Measures loading the model catalog, reading it, and getting a key with `connect`. */
export const llmBench = async ({ calls, models, providers }: LlmOptions): Promise<string> => {
  const text = catalogOf(providers, models)
  const source = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", etag: `"one"` })
    response.end(text)
  })
  source.listen(0, "127.0.0.1")
  await once(source, "listening")
  const database = await openDatabase()
  try {
    const server = await startCandidate(
      { name: "orgplane", file: new URL("http/orgplane.ts", import.meta.url) },
      await database.createDatabase("llm"),
      [],
      {
        ORGPLANE_BOOTSTRAP: "open",
        ORGPLANE_MODELS_URL: `http://127.0.0.1:${(source.address() as AddressInfo).port}/api.json`
      }
    )
    try {
      let token = ""
      const call = async (method: string, path: string, body?: object) => {
        const began = performance.now()
        const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
          method,
          headers: {
            ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const responseBody: unknown = await response.json()
        if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(responseBody).slice(0, 500)}`)
        return { body: responseBody, millis: performance.now() - began }
      }
      const { body } = await call("POST", "/v1/bootstrap/workspace", { workspaceName: "Bench" })
      token = String(member(body, "session", "token"))

      say(`Loading a catalog of ${providers * models} models.`)
      const stop = await askHealth(server.port, 5)
      const first = await call("GET", "/v1/llm-providers/catalog")
      const health = await stop()

      const provider = await call("POST", "/v1/llm-providers", { name: "Bench", providerId: "provider-1" })
      const path = `/v1/llm-providers/${String(member(provider.body, "llmProvider", "id"))}`
      await call("PUT", `${path}/credential`, { apiKey: "sk-bench" })

      const kinds: ReadonlyArray<readonly [string, () => ReturnType<typeof call>]> = [
        ["a page of 50 models", () => call("GET", "/v1/llm-providers/catalog?limit=50")],
        ["a page of 50 models, searched by a word", () => call("GET", "/v1/llm-providers/catalog?limit=50&q=model-1")],
        ["`connect`", () => call("POST", `${path}/connect`)]
      ]
      const rows: Array<string> = []
      for (const [name, ask] of kinds) {
        say(name)
        for (let warm = 0; warm < 10; warm += 1) await ask()
        const before = cpuMicros(server.pid)
        const times: Array<number> = []
        for (let count = 0; count < calls; count += 1) times.push((await ask()).millis)
        const cpu = (cpuMicros(server.pid) - before) / calls
        rows.push(`| ${name} | ${one(median(times))} | ${one(Math.max(...times))} | ${cpu.toFixed(0)} |`)
      }
      return [
        `| a catalog of ${providers} providers, ${providers * models} models, ${one(text.length / 1024 / 1024)} MiB | ms | health checks during the load, p50 / max ms (count) |`,
        "|---|---|---|",
        `| downloaded, validated, cached, first page returned | ${one(first.millis)} | ${one(median(health))} / ${one(Math.max(...health))} (${health.length}) |`,
        "",
        `| ${calls} sequential calls | p50, ms | max, ms | CPU time of the server, µs |`,
        "|---|---|---|---|",
        ...rows
      ].join("\n")
    } finally {
      await server.stop()
    }
  } finally {
    await database.stop()
    source.closeAllConnections()
    source.close()
  }
}
