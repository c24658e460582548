/**
 * LLM providers on loopback, following their public API documentation: the key header, the model list, and the
 * rejection of a key. Also a server with a model catalog.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"

/** Loopback is a private address; in these tests the operator allows it. */
export const letIn = { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } as const

export interface Local {
  readonly origin: string
  readonly requests: Array<{
    readonly method: string
    readonly path: string
    readonly headers: IncomingMessage["headers"]
  }>
  /** Replaces the usual response. */
  instead: RequestListener | null
  readonly close: () => Promise<void>
}

const closed = async (server: Server) => {
  if (!server.listening) return
  server.closeAllConnections()
  server.close()
  await once(server, "close")
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

/** A server on its own port that records its requests. */
export const serve = async (usual: RequestListener): Promise<Local> => {
  const server = createServer((request, response) => {
    local.requests.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers })
    const handle = local.instead ?? usual
    handle(request, response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const local: Local = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    instead: null,
    close: () => closed(server)
  }
  afterAll(local.close)
  return local
}

/** The responses of a provider according to its published API. */
interface Interface {
  readonly base: string
  readonly path: string
  readonly isLetIn: (headers: IncomingMessage["headers"], key: string) => boolean
  readonly refusal: readonly [status: number, body: unknown]
  readonly list: (models: ReadonlyArray<string>) => unknown
}

export const interfaces = {
  openai_compatible: {
    base: "/v1",
    path: "/v1/models",
    isLetIn: (headers, key) => headers.authorization === `Bearer ${key}`,
    refusal: [
      401,
      { error: { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" } }
    ],
    list: (models) => ({
      object: "list",
      data: models.map((id) => ({ id, object: "model", created: 1_686_935_002, owned_by: "house" }))
    })
  },
  anthropic: {
    base: "/v1",
    path: "/v1/models?limit=1000",
    isLetIn: (headers, key) => headers["x-api-key"] === key && headers["anthropic-version"] === "2023-06-01",
    refusal: [401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }],
    list: (models) => ({
      data: models.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-02-19T00:00:00Z" })),
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null
    })
  },
  google: {
    base: "/v1beta",
    path: "/v1beta/models?pageSize=1000",
    isLetIn: (headers, key) => headers["x-goog-api-key"] === key,
    refusal: [
      400,
      {
        error: {
          code: 400,
          message: "API key not valid. Please pass a valid API key.",
          status: "INVALID_ARGUMENT",
          details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }]
        }
      }
    ],
    list: (models) => ({
      models: models.map((id) => ({ name: `models/${id}`, version: "001", displayName: id, inputTokenLimit: 1000 }))
    })
  },
  azure_openai: {
    base: "/openai/v1",
    path: "/openai/v1/models",
    isLetIn: (headers, key) => headers["api-key"] === key,
    refusal: [401, { error: { code: "401", message: "Access denied due to invalid subscription key." } }],
    list: (models) => ({ object: "list", data: models.map((id) => ({ id, object: "model" })) })
  }
} as const satisfies Record<string, Interface>
export type Spoken = keyof typeof interfaces
export const spoken = Object.keys(interfaces) as ReadonlyArray<Spoken>

/** A provider with one valid key. */
export const serveProvider = async (
  format: Spoken,
  key: string,
  models: ReadonlyArray<string> = ["large", "small"]
): Promise<Local & { readonly baseUrl: string }> => {
  const { base, isLetIn, list, path, refusal }: Interface = interfaces[format]
  const local = await serve((request, response) => {
    if (request.url !== path || request.method !== "GET")
      return json(response, 404, { error: { message: "No route." } })
    if (!isLetIn(request.headers, key)) return json(response, ...refusal)
    return json(response, 200, list(models))
  })
  return Object.assign(local, { baseUrl: local.origin + base })
}

export const aModel = (id: string, more: object = {}) => ({
  id,
  name: `The ${id}`,
  attachment: true,
  reasoning: false,
  tool_call: true,
  temperature: true,
  knowledge: "2026-01",
  release_date: "2026-02-19",
  modalities: { input: ["text", "image"], output: ["text"] },
  open_weights: false,
  cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
  limit: { context: 200_000, output: 64_000 },
  ...more
})

/** A catalog in its published form. */
export const aCatalog = {
  anthropic: {
    id: "anthropic",
    name: "Anthropic",
    env: ["ANTHROPIC_API_KEY"],
    npm: "@ai-sdk/anthropic",
    doc: "https://docs.anthropic.example/models",
    models: {
      "claude-large": aModel("claude-large", { reasoning: true }),
      "claude-small": aModel("claude-small", { cost: { input: 0.8, output: 4 } })
    }
  },
  house: {
    id: "house",
    name: "House of Models",
    env: ["HOUSE_API_KEY"],
    npm: "@ai-sdk/openai-compatible",
    api: "https://api.house.example/v1",
    doc: "https://house.example/docs",
    models: {
      "house/one": aModel("house/one", {
        tool_call: false,
        open_weights: true,
        structured_output: true,
        status: "beta"
      }),
      "house/two": aModel("house/two", { cost: undefined, limit: { context: 8192 } })
    }
  },
  clouds: {
    id: "clouds",
    name: "Clouds",
    env: ["CLOUDS_ID", "CLOUDS_SECRET"],
    npm: "@ai-sdk/amazon-bedrock",
    doc: "https://clouds.example/docs",
    models: { "cloud-9": aModel("cloud-9") }
  },
  azure: {
    id: "azure",
    name: "Azure",
    env: ["AZURE_API_KEY"],
    npm: "@ai-sdk/azure",
    doc: "https://azure.example",
    models: { "gpt-x": aModel("gpt-x") }
  }
}

/** A server with a catalog, which returns 304 for a matching ETag. */
export const serveCatalog = async () => {
  const served = { catalog: aCatalog as unknown, etag: `"one"` }
  const local = await serve((request, response) => {
    if (request.headers["if-none-match"] === served.etag) {
      response.writeHead(304, { etag: served.etag })
      response.end()
      return
    }
    json(response, 200, served.catalog, { etag: served.etag })
  })
  return Object.assign(local, { served, url: `${local.origin}/api.json` })
}
