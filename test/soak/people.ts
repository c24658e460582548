import { createHmac } from "node:crypto"

/** A server process. */
export interface Process {
  readonly baseUrl: string
  readonly isAlive: () => boolean
  readonly kill: () => Promise<void>
}

export interface HttpResponse {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- responses of several operations, checked where they are used
  readonly body: any
}

export const webhookSecret = "a-webhook-secret-of-the-soak-of-syncs"
/** Longer than any request to a running server takes: a longer one hangs. */
const patienceMillis = 30_000

/** Returns undefined if the server was killed before it responded. */
export const ask = async (
  server: Process,
  token: string | undefined,
  method: string,
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {}
): Promise<HttpResponse | undefined> => {
  try {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(patienceMillis),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
  } catch (cause) {
    if (server.isAlive()) throw new Error(`${method} ${path} got no response from a running server.`, { cause })
    return undefined
  }
}

/** Sends a push webhook, as a code host does. */
export const tell = (server: Process, cloneUrl: string, after: string, delivery: string) => {
  const body = JSON.stringify({
    ref: "refs/heads/main",
    before: "0".repeat(40),
    after,
    repository: { id: 1, full_name: "soak/plugins", clone_url: cloneUrl }
  })
  return ask(server, undefined, "POST", "/v1/webhooks/connectors/codehost", body, {
    "x-github-event": "push",
    "x-github-delivery": delivery,
    "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`
  })
}
