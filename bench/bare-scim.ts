/** Minimal SCIM user creation: parses the body, caches the token, writes the same rows with prepared inserts. */
import { createHash, randomUUID } from "node:crypto"
import { createServer } from "node:http"
import pg from "pg"

interface TokenRow {
  readonly organization_id: string
  readonly directory_id: string
  readonly id: string
}

const clients = await Promise.all(
  Array.from({ length: 10 }, async () => {
    const client = new pg.Client({ connectionString: process.env["DATABASE_URL"] ?? "", pipeline: true })
    await client.connect()
    return client
  })
)
const idle = [...clients]
const waiting: Array<(client: pg.Client) => void> = []
const take = (): Promise<pg.Client> => {
  const client = idle.pop()
  return client === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(client)
}
const give = (client: pg.Client) => {
  const next = waiting.shift()
  if (next === undefined) idle.push(client)
  else next(client)
}

const tokenRows = new Map<string, TokenRow>()
const knownOf = async (token: string): Promise<TokenRow> => {
  const cachedRow = tokenRows.get(token)
  if (cachedRow !== undefined) return cachedRow
  const digest = createHash("sha256").update(token).digest()
  const { rows } = await (clients[0] as pg.Client).query<TokenRow>(
    "SELECT organization_id, directory_id, id FROM scim_tokens WHERE token_digest = $1",
    [digest]
  )
  const row = rows[0]
  if (row === undefined) throw new Error("The token does not exist.")
  tokenRows.set(token, row)
  return row
}

const texts = {
  user: `INSERT INTO users (id, email, email_verified, name, created_at, updated_at)
    VALUES ($1, $2, true, $3, now(), now())`,
  membership: `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
    VALUES ($1, $2, $3, 'member', now(), now())`,
  record: `INSERT INTO scim_users (organization_id, id, directory_id, user_name, external_id, active, resource_json,
      folded_json, user_id, membership_id, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, true, $6, $7, $8, $9, now(), now())`,
  log: `INSERT INTO scim_log (organization_id, id, directory_id, token_id, request_id, method, path, status, decision,
      resource_type, resource_id, display_name, differences_json, created_at)
    VALUES ($1, $2, $3, $4, $5, 'POST', '/Users', 201, 'created', 'User', $6, $7, $8, now())`,
  audit: `INSERT INTO audit_events (id, organization_id, action, actor_kind, actor_id, credential_id, target_id,
      request_id, after_json, created_at)
    VALUES ($1, $2, 'scim.user_create', 'directory', $3, $4, $5, $6, $7, now())`
}

const create = async ({ directory_id, id: tokenId, organization_id }: TokenRow, text: string) => {
  const body = JSON.parse(text) as {
    readonly userName: string
    readonly externalId: string
    readonly displayName: string
  }
  const [user, membership, record] = [randomUUID(), randomUUID(), randomUUID()]
  const name = body.userName.toLowerCase()
  const client = await take()
  const insert = (of: keyof typeof texts, values: ReadonlyArray<unknown>) =>
    client.query({ name: of, text: texts[of], values: [...values] })
  try {
    // The statements are pipelined on one connection.
    await Promise.all([
      client.query("BEGIN"),
      insert("user", [user, name, body.displayName]),
      insert("membership", [organization_id, membership, user]),
      insert("record", [
        organization_id,
        record,
        directory_id,
        name,
        body.externalId,
        text,
        text.toLowerCase(),
        user,
        membership
      ]),
      insert("log", [
        organization_id,
        randomUUID(),
        directory_id,
        tokenId,
        randomUUID(),
        record,
        body.userName,
        JSON.stringify([{ path: "userName", before: null, after: body.userName }])
      ]),
      insert("audit", [randomUUID(), organization_id, directory_id, tokenId, record, randomUUID(), "{}"]),
      client.query("COMMIT")
    ])
  } finally {
    give(client)
  }
  return JSON.stringify({ ...body, id: record })
}

const json = { "content-type": "application/scim+json" }

createServer((request, response) => {
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    if (request.method === "GET") return response.writeHead(200, json).end("{}")
    const token = String(request.headers.authorization).slice("Bearer ".length)
    knownOf(token)
      .then((directory) => create(directory, Buffer.concat(parts).toString("utf8")))
      .then(
        (resource) => response.writeHead(201, { ...json, "content-length": Buffer.byteLength(resource) }).end(resource),
        (cause: unknown) => response.writeHead(500, json).end(String(cause))
      )
    return undefined
  })
}).listen(Number(process.env["PORT"]), "127.0.0.1")
