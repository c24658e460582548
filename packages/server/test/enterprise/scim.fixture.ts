/** A directory as an identity provider uses it: a token and SCIM requests. */
import { expect } from "vitest"
import { sha256Bytes } from "../../src/infra/crypto/digest.ts"
import { makeToken } from "../../src/infra/crypto/tokens.ts"
import { makeId } from "../../src/infra/ids.ts"
import { type TestResponse, call, makeWorkspace, runSql, type TestPlane, type Workspace } from "../harness.ts"

export const userUrn = "urn:ietf:params:scim:schemas:core:2.0:User"
export const enterpriseUrn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
export const groupUrn = "urn:ietf:params:scim:schemas:core:2.0:Group"
export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
export const searchUrn = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"

export interface Directory {
  readonly owner: Workspace
  readonly id: string
  readonly token: string
  /** A request below `/v1/scim/v2`. */
  readonly scim: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<TestResponse>
}

/** A directory of the owner's organization, with a token that the owner created and that does not expire. */
export const makeDirectory = async (plane: TestPlane, owner?: Workspace): Promise<Directory> => {
  const workspace = owner ?? (await makeWorkspace(plane))
  const id = makeId("scd")
  const token = makeToken("opd")
  await runSql(
    plane,
    (sql) => sql`INSERT INTO scim_directories (organization_id, id, name, provider, created_at, updated_at)
      VALUES (${workspace.organizationId}, ${id}, 'A directory', 'other', now() - interval '2 hours', now())`
  )
  await runSql(
    plane,
    (sql) => sql`INSERT INTO scim_tokens (organization_id, id, directory_id, token_digest, made_by_owner, created_at)
      VALUES (${workspace.organizationId}, ${makeId("sct")}, ${id}, ${sha256Bytes(token)}, true, now())`
  )
  const send = call(plane, token)
  return {
    owner: workspace,
    id,
    token,
    scim: (method, path, body, headers = {}) =>
      send(method, `/v1/scim/v2${path}`, body, {
        ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
        ...headers
      })
  }
}

/** Assigns a domain to the organization as if it were verified. */
export const verifyDomain = (plane: TestPlane, { organizationId }: Workspace, domain: string) =>
  runSql(
    plane,
    (sql) => sql`INSERT INTO domains (organization_id, id, domain, status, token, created_at, updated_at, verified_at)
      VALUES (${organizationId}, ${makeId("dom")}, ${domain}, 'verified', ${makeId("dom")}, now(), now(), now())`
  )

let lastNumber = 0
/** A unique number. */
export const next = (): number => (lastNumber += 1)

export const someUser = (more: Record<string, unknown> = {}) => {
  const name = `person-${next()}`
  return {
    schemas: [userUrn],
    userName: `${name}@corp.example`,
    displayName: `Person ${name}`,
    name: { givenName: "Person", familyName: name },
    emails: [{ value: `${name}@corp.example`, type: "work", primary: true }],
    active: true,
    ...more
  }
}

export const makeUser = async ({ scim }: Directory, more: Record<string, unknown> = {}) => {
  const response = await scim("POST", "/Users", someUser(more))
  expect([response.status, response.status === 201 ? "" : response.text]).toEqual([201, ""])
  return response.body
}

export const makeGroup = async (
  { scim }: Directory,
  memberIds: ReadonlyArray<string> = [],
  displayName = `Group ${next()}`
) => {
  const response = await scim("POST", "/Groups", {
    schemas: [groupUrn],
    displayName,
    members: memberIds.map((value) => ({ value }))
  })
  expect([response.status, response.status === 201 ? "" : response.text]).toEqual([201, ""])
  return response.body
}

export const patchOf = (...operations: ReadonlyArray<object>) => ({ schemas: [patchUrn], Operations: operations })

/** An error in the SCIM format and nothing else. */
export const expectRefused = (response: TestResponse, status: number, scimType?: string) => {
  expect([response.status, response.body?.scimType, response.headers.get("content-type")]).toEqual([
    status,
    scimType,
    "application/scim+json"
  ])
  expect(response.body.schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:Error"])
  expect(response.body.status).toBe(String(status))
  expect(typeof response.body.detail).toBe("string")
}
