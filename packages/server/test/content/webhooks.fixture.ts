import { sign } from "@octokit/webhooks-methods"
import { until } from "./connectors.fixture.ts"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { createRequire } from "node:module"
import { makeId } from "../../src/infra/ids.ts"
import { WebhookInbox } from "../../src/content/webhooks/inbox.ts"
import {
  type TestResponse,
  call,
  runSql,
  type TestPlane,
  webhookSecret,
  withServices,
  type Workspace
} from "../harness.ts"
import { anAddress } from "../infra/http-world.ts"

interface Examples {
  readonly name: string
  readonly examples: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Recorded payloads of the code host, by event. */
const recorded = createRequire(import.meta.url)("@octokit/webhooks-examples") as ReadonlyArray<Examples>
export const recordedKinds = recorded.map(({ name }) => name)
export const recordedOf = (event: string) => recorded.find(({ name }) => name === event)?.examples ?? []

export const path = "/v1/webhooks/connectors/codehost"

export interface Hook {
  /** Sent as the body, and signed unless `signed` is given. */
  readonly body: string
  readonly event?: string
  readonly delivery?: string
  readonly secret?: string
  readonly signed?: string
  /** Replaces the valid signature; null for none. */
  readonly signature?: string | null
  readonly address?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a delivery like a code host, signed by an independent library. */
export const send = async (plane: TestPlane, hook: Hook): Promise<TestResponse> => {
  const signature =
    hook.signature === undefined
      ? hook.body === "" && hook.signed === undefined
        ? null
        : await sign(hook.secret ?? webhookSecret, hook.signed ?? hook.body)
      : hook.signature
  const headers = {
    "x-github-event": hook.event ?? "push",
    "x-github-delivery": hook.delivery ?? randomUUID(),
    ...(signature === null ? {} : { "x-hub-signature-256": signature }),
    ...hook.headers
  }
  const response = await call(plane, undefined, hook.address ?? anAddress())("POST", path, hook.body, headers)
  await drained(plane)
  return response
}

/** Processes acknowledged deliveries, in place of the worker that tests do not start. */
export const drained = async (plane: TestPlane): Promise<number> => {
  const count = await withServices(
    plane,
    Effect.flatMap(WebhookInbox, ({ drain }) => drain)
  )
  // If a worker runs, it may have taken deliveries that are not finished yet.
  await until(
    () =>
      runSql(plane, (sql) => sql<{ n: number }>`SELECT count(*)::int AS n FROM webhook_inbox WHERE due_at <= now()`),
    ([row]) => row?.n === 0
  )
  return count
}

export const tell = (plane: TestPlane, event: string, payload: object, delivery?: string) =>
  send(plane, { event, body: JSON.stringify(payload), ...(delivery === undefined ? {} : { delivery }) })

const zero = "0".repeat(40)

export interface Pushed {
  readonly cloneUrl?: string
  readonly branch?: string
  readonly repositoryId?: number
  readonly fullName?: string
  readonly installationId?: number
  readonly after?: string
}

/** A push, with the other members that a code host sends. */
export const push = ({ after, branch = "main", cloneUrl, fullName, installationId, repositoryId }: Pushed = {}) => ({
  ref: `refs/heads/${branch}`,
  before: zero,
  after: after ?? "a".repeat(40),
  created: false,
  forced: false,
  repository: {
    id: repositoryId ?? 1,
    full_name: fullName ?? "acme/plugins",
    private: true,
    ...(cloneUrl === undefined ? {} : { clone_url: cloneUrl }),
    archived: false,
    updated_at: "2026-03-01T10:00:00Z"
  },
  pusher: { name: "ada", email: "ada@example.com" },
  commits: [],
  ...(installationId === undefined ? {} : { installation: { id: installationId } })
})

let numbers = 5000

/** A repository that an organization reads through an installation, as the adapter stores it. */
export const makeInstalled = async (
  plane: TestPlane,
  workspace: Workspace,
  more: { readonly installationId?: number; readonly name?: string } = {}
) => {
  const installedRepository = {
    installationId: more.installationId ?? (numbers += 1),
    repositoryId: (numbers += 1),
    fullName: more.name ?? `acme/repository-${numbers}`,
    accountId: makeId("cac"),
    instanceId: makeId("cin"),
    targetId: makeId("ctg")
  }
  const { organizationId } = workspace
  await runSql(plane, (sql) =>
    Effect.gen(function* () {
      const [existingAccount] = yield* sql<{ id: string }>`SELECT id FROM connector_accounts
        WHERE organization_id = ${organizationId} AND remote_id = ${String(installedRepository.installationId)}`
      const accountId = existingAccount?.id ?? installedRepository.accountId
      if (existingAccount === undefined) {
        yield* sql`INSERT INTO connector_accounts (organization_id, id, adapter, remote_id, name, created_at, updated_at)
          VALUES (${organizationId}, ${accountId}, 'rest', ${String(installedRepository.installationId)}, 'acme', now(), now())`
      }
      yield* sql`INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name,
          status, repository_full_name, created_by_membership_id, created_at, updated_at)
        VALUES (${organizationId}, ${installedRepository.instanceId}, ${accountId}, 'rest', ${String(installedRepository.repositoryId)}, ${installedRepository.fullName},
          'active', ${installedRepository.fullName}, ${workspace.membershipId}, now(), now())`
      yield* sql`INSERT INTO connector_targets (organization_id, id, connector_instance_id, remote_id, branch, created_at,
          updated_at)
        VALUES (${organizationId}, ${installedRepository.targetId}, ${installedRepository.instanceId}, ${`${installedRepository.repositoryId}#main`}, 'main', now(), now())`
    })
  )
  return installedRepository
}
export type Installed = Awaited<ReturnType<typeof makeInstalled>>

/** An event about a repository that is read through an installation. */
export const repositoryEvent = (
  { fullName, installationId, repositoryId }: Installed,
  action: string,
  more: { readonly fullName?: string; readonly archived?: boolean; readonly at?: string } = {}
) => ({
  action,
  repository: {
    id: repositoryId,
    full_name: more.fullName ?? fullName,
    archived: more.archived ?? false,
    updated_at: more.at ?? "2026-03-01T10:00:00Z"
  },
  installation: { id: installationId }
})
