import { type EventKind, eventKinds } from "@orgplane/schema/webhooks"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { noFacts, type RemoteFacts } from "../connectors/remote-events.ts"
import { jsonFault } from "../../infra/http/json-bounds.ts"

/**
 * Maximum repositories of one event that are handled individually; for more, all repositories of the installation are
 * checked.
 */
const repositoriesMax = 5000

const Text = (maximum: number) =>
  Schema.String.check(
    Schema.isBetweenCodePoints(1, maximum),
    // oxlint-disable-next-line no-control-regex -- characters that the database cannot store
    Schema.isPattern(/^[^\u0000\ud800-\udfff]*$/u)
  )
const RemoteId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))
const Commit = Schema.String.check(Schema.isPattern(/^([0-9a-f]{40}|[0-9a-f]{64})$/u))
const absentOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Installation = Schema.Struct({ id: RemoteId })
const Repository = Schema.Struct({
  id: RemoteId,
  full_name: Text(512),
  clone_url: absentOrNull(Text(2048)),
  archived: absentOrNull(Schema.Boolean),
  updated_at: absentOrNull(Schema.Union([Schema.String, Schema.Finite]))
})
const inRepository = { repository: Repository, installation: absentOrNull(Installation) }
const Listed = Schema.Array(Schema.Struct({ id: RemoteId }))

const Push = Schema.Struct({ ...inRepository, ref: Text(1024), before: Commit, after: Commit })
const RefEvent = Schema.Struct({ ...inRepository, ref: Text(1024), ref_type: Text(64) })
const RepositoryEvent = Schema.Struct({ ...inRepository, action: Text(128) })
const InstallationEvent = Schema.Struct({ action: Text(128), installation: Installation })
const InstallationRepositories = Schema.Struct({
  action: Text(128),
  installation: Installation,
  repositories_added: Schema.optionalKey(Listed),
  repositories_removed: Schema.optionalKey(Listed)
})

/** A time as code hosts write it: ISO 8601, or a Unix timestamp in seconds. */
const momentOf = (hostTime: string | number | null | undefined): string | null => {
  const millis = typeof hostTime === "number" ? hostTime * 1000 : Date.parse(hostTime ?? "")
  return Number.isFinite(millis) && Math.abs(millis) < 8.64e15 ? new Date(millis).toISOString() : null
}

const repositoryFacts = ({
  installation,
  repository
}: {
  readonly installation?: typeof Installation.Type | null
  readonly repository: typeof Repository.Type
}): Omit<RemoteFacts, "event"> => ({
  ...noFacts,
  installationId: installation === undefined || installation === null ? null : String(installation.id),
  repositoryId: String(repository.id),
  repositoryFullName: repository.full_name,
  cloneUrl: repository.clone_url ?? null,
  archived: repository.archived ?? null,
  seenAt: momentOf(repository.updated_at)
})

const reader =
  <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S, read: (payload: S["Type"]) => RemoteFacts) =>
  (json: unknown): RemoteFacts | undefined =>
    Option.getOrUndefined(Option.map(Schema.decodeUnknownOption(schema)(json), read))

const refEvent = (event: "create" | "delete") =>
  reader(RefEvent, (payload) => ({
    ...repositoryFacts(payload),
    event,
    ref: payload.ref_type === "branch" ? `refs/heads/${payload.ref}` : `refs/tags/${payload.ref}`
  }))

const readers: Readonly<Record<Exclude<EventKind, "ping">, (json: unknown) => RemoteFacts | undefined>> = {
  push: reader(Push, (payload) => ({
    ...repositoryFacts(payload),
    event: "push",
    ref: payload.ref,
    before: payload.before,
    after: payload.after
  })),
  create: refEvent("create"),
  delete: refEvent("delete"),
  repository: reader(RepositoryEvent, (payload) => ({
    ...repositoryFacts(payload),
    event: "repository",
    action: payload.action
  })),
  installation: reader(InstallationEvent, ({ action, installation }) => ({
    ...noFacts,
    event: "installation",
    action,
    installationId: String(installation.id)
  })),
  installation_repositories: reader(InstallationRepositories, (payload) => {
    const listed = (payload.action === "removed" ? payload.repositories_removed : payload.repositories_added) ?? []
    return {
      ...noFacts,
      event: "installation_repositories",
      // If there are too many to handle individually, the omitted ones must not be treated as removed.
      action: listed.length > repositoriesMax ? "added" : payload.action,
      installationId: String(payload.installation.id),
      repositoryIds: listed.length > repositoriesMax ? null : listed.map(({ id }) => String(id))
    }
  })
}

const isObject = (json: unknown): boolean => typeof json === "object" && json !== null && !Array.isArray(json)
const kinds: ReadonlySet<string> = new Set(eventKinds)
const isKind = (event: string): event is EventKind => kinds.has(event)

/**
 * The stored facts of a payload: `undefined` if it does not match its event type, `ignored` if the event type has no
 * effect.
 */
export const factsOf = (event: string, json: unknown): RemoteFacts | "ignored" | undefined => {
  if (!isObject(json)) return undefined
  return isKind(event) && event !== "ping" ? readers[event](json) : "ignored"
}

/** A push lists every changed file; most of the payload is not decoded. */
const valuesMax = 500_000

/** The body as JSON, exactly as it was signed: no byte order mark, valid UTF-8 only. */
export const parseBody = (bytes: Uint8Array): { readonly json: unknown } | undefined => {
  if (jsonFault(bytes, { valuesMax }) !== undefined) return undefined
  try {
    return { json: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown }
  } catch {
    return undefined
  }
}
