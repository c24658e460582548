import * as Effect from "effect/Effect"
import { join } from "node:path"
import { type Files, makeRepository } from "../../../../test/fixtures/git.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { type Person, type TestPlane, withServices } from "../harness.ts"

type Setup = Awaited<ReturnType<Person["client"]["connectors"]["setup"]>>
export type SyncRecord = Awaited<ReturnType<Person["client"]["connectors"]["getSyncEvent"]>>

export const skill = (name: string, text = "Do it well.") =>
  `---\nname: ${name}\ndescription: How to ${name}.\n---\n\n${text}\n`

/** A marketplace manifest with one entry per plugin, each in `plugins/<name>`. */
export const marketplace = (names: ReadonlyArray<string>, more: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    name: "acme-tools",
    owner: { name: "Acme" },
    plugins: names.map((name) => ({ name, source: `./plugins/${name}` })),
    ...more
  })

let count = 0
/** A repository in the folder that the control plane may read. */
export const repositoryIn = (plane: TestPlane, files: Files, name = `team-${++count}/plugins`): string => {
  const dir = join(plane.repositories, name)
  makeRepository(dir, files)
  return dir
}

export interface Connected {
  readonly instance: Setup["connectorInstance"]
  readonly target: Setup["connectorTarget"]
}

export const connect = async (person: Person, cloneUrl: string, name?: string): Promise<Connected> => {
  const item = await person.client.connectors.setup({
    adapter: "git",
    cloneUrl,
    ...(name === undefined ? {} : { name })
  })
  return { instance: item.connectorInstance, target: item.connectorTarget }
}

/** Serves every change of an instance's plugins at once. New instances hold new capabilities. */
export const withoutApprovals = async (person: Person, connected: Connected): Promise<Connected> => {
  await person.client.approvals.setInstanceMode(connected.instance.id, { deliveryMode: "auto" })
  return connected
}

/** Polls until the response is as wanted, with increasing delays because of the session's rate limit. */
export const until = async <A>(ask: () => Promise<A>, isWanted: (response: A) => boolean): Promise<A> => {
  for (let pause = 10; ; pause = Math.min(pause * 1.3, 250)) {
    const response = await ask()
    if (isWanted(response)) return response
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

export const isEnded = ({ status }: Pick<SyncRecord, "status">) => status !== "queued" && status !== "running"

/** Waits until a sync has ended. */
export const ended = (person: Person, id: string): Promise<SyncRecord> =>
  until(() => person.client.connectors.getSyncEvent(id), isEnded)

/** Starts a sync and waits until it has ended. */
export const synced = async (person: Person, { instance }: Connected): Promise<SyncRecord> =>
  ended(person, (await person.client.connectors.sync(instance.id)).id)

/** Imports everything that is selected by default, or the given keys. */
export const imported = async (
  person: Person,
  connected: Connected,
  more: Readonly<{
    selectedKeys?: ReadonlyArray<string>
    autoImportNewPlugins?: boolean
    marketplaceId?: string
    share?: "private" | "orgWide"
  }> = {}
) => {
  const discovered = await person.client.connectors.discovery(connected.instance.id)
  const item = await person.client.connectors.apply(connected.instance.id, {
    autoImportNewPlugins: false,
    selectedKeys: discovered.discoveredPlugins.filter((plugin) => plugin.selectedByDefault).map((plugin) => plugin.key),
    ...more
  })
  return item
}

/** All items of a paginated list. */
export const all = async <A>(pages: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const items: Array<A> = []
  for await (const item of pages) items.push(item)
  return items
}

/** The plugins that a user can see: name to path to text. */
export const contents = async (person: Person) => {
  const seen: Record<string, Record<string, string | null>> = {}
  for (const plugin of await all(person.client.plugins.list())) {
    const files: Record<string, string | null> = {}
    for (const { configObject } of await all(person.client.plugins.listObjects(plugin.id))) {
      files[`${configObject.objectType} ${configObject.currentRelativePath}`] =
        configObject.latestVersion?.rawSourceText ?? null
    }
    seen[plugin.name] = files
  }
  return seen
}

/** The objects of a plugin by path. */
export const objectsOf = async (person: Person, pluginId: string) => {
  const memberships = await all(person.client.plugins.listObjects(pluginId))
  return new Map(memberships.map((row) => [row.configObject.currentRelativePath ?? "", row.configObject]))
}

export const versionsOf = async (person: Person, objectId: string) =>
  all(person.client.configObjects.listVersions(objectId))

/** Makes everything that is delayed due now. */
export const hurry = (plane: TestPlane) =>
  withServices(
    plane,
    Effect.flatMap(SqlDatabase, (sql) =>
      Effect.andThen(
        sql`UPDATE connector_targets SET paused_until = NULL WHERE paused_until IS NOT NULL`,
        sql`UPDATE effect_queue SET visible_at = now() WHERE state = 'pending'`
      )
    )
  )

/** Statements for results that no operation returns. */
export const rows = <A extends object>(
  plane: TestPlane,
  query: (sql: typeof SqlDatabase.Service) => Effect.Effect<ReadonlyArray<A>, unknown>
): Promise<ReadonlyArray<A>> => withServices(plane, Effect.flatMap(SqlDatabase, query))
