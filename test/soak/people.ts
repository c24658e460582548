import { createHmac } from "node:crypto"

/** A server that runs as a process of its own. */
export interface Process {
  readonly baseUrl: string
  readonly isAlive: () => boolean
  readonly kill: () => Promise<void>
}

export interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of several operations, judged where they are used
  readonly body: any
}

export const webhookSecret = "a-webhook-secret-of-the-soak-of-syncs"
/** Longer than any request takes whose server lives: one that hangs is a fault. */
const patienceMillis = 30_000

/** Answers nothing where the server was gone before it answered. */
export const ask = async (
  server: Process,
  token: string | undefined,
  method: string,
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {}
): Promise<Answer | undefined> => {
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
    if (server.isAlive()) throw new Error(`${method} ${path} had no answer of a server that lives.`, { cause })
    return undefined
  }
}

/** Tells of a push as a code host does. */
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
