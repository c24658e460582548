import type { EventStreamDestination, EventStreamTarget } from "@orgplane/schema/event-streams"
import type { EventStreamEntry } from "@orgplane/schema/shared/configuration-document"
import type { Member } from "@orgplane/schema/shared/caller"
import { Forbidden, InvalidRequest } from "@orgplane/schema/shared/errors"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as repo from "../../../identity/event-streams/repo.ts"
import type { EventStreamsService } from "../../../identity/event-streams/service.ts"
import type { Sql } from "../../../infra/sql/client.ts"
import { defined } from "../defined.ts"
import { at, currentSecret, type Kind } from "../kind.ts"
import { readPages } from "../read-pages.ts"

type Entry = Omit<typeof EventStreamEntry.Type, "key">
type SecretField = "token" | "secretAccessKey" | "headers"
/** An entry with its secrets in place of the references. */
type Input = Omit<Entry, SecretField> & { readonly [field in SecretField]?: Redacted.Redacted }

const secretFieldOf = { https: "token", s3: "secretAccessKey", otlp: "headers" } as const

const typesOf = (types: ReadonlyArray<string>) => [...new Set(types)].toSorted()

const hrefOf = (url: string) => URL.parse(url)?.href ?? url

const itemOf = ({ kind, ...destination }: EventStreamDestination, hasSecret: boolean) => ({
  destination: kind,
  ...destination,
  ...(hasSecret ? { [secretFieldOf[kind]]: currentSecret } : {})
})

/** The headers in a secret with one `Name: value` on each line; undefined if a line is something else. */
const headersOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "")
  const pairs = lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const
  })
  const names = new Set(pairs.map(([name]) => name.toLowerCase()))
  return pairs.length > 0 && names.size === pairs.length && lines.every((line) => line.indexOf(":") > 0)
    ? Object.fromEntries(pairs)
    : undefined
}

/** Headers in the form in which they are compared. */
const linesOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .toSorted()
    .join("\n")

/** The destination as the service expects it. The document has been checked to have the fields of its destination. */
const targetOf = Effect.fnUntraced(function* (input: Input) {
  const { accessKeyId = "", bucket = "", endpoint = "", format, prefix, region = "", url = "" } = input
  const secretOf = (field: SecretField) => input[field] && Redacted.value(input[field])
  switch (input.destination) {
    case "https":
      return { kind: "https", url, ...defined({ format, token: secretOf("token") }) } satisfies EventStreamTarget
    case "s3":
      return {
        kind: "s3",
        endpoint,
        region,
        bucket,
        accessKeyId,
        ...defined({ prefix, secretAccessKey: secretOf("secretAccessKey") })
      } satisfies EventStreamTarget
    case "otlp": {
      const text = secretOf("headers")
      const headers = text === undefined ? undefined : headersOf(text)
      if (text !== undefined && headers === undefined) {
        return yield* InvalidRequest.at(["headers"], "must have one header on each line, as `Name: value`")
      }
      return { kind: "otlp", url, ...defined({ headers }) } satisfies EventStreamTarget
    }
  }
})

/** Errors of a destination have the names of the fields of the entry, which has no object for it. */
const atFields = <A, E>(made: Effect.Effect<A, E>) =>
  Effect.mapError(made, (error) =>
    error instanceof InvalidRequest
      ? new InvalidRequest({
          details: error.details.map(({ message, path }) => ({
            message,
            path: path.filter((part) => part !== "destination")
          }))
        })
      : error
  )

/** A stream sends the events of all resources. */
const demandAudit = ({ permissions }: Member) =>
  permissions.has("audit:read")
    ? Effect.void
    : Effect.fail(new Forbidden({ reason: "permission_required", message: "This requires the permission audit:read." }))

/** Event streams, with the secrets of their destinations. */
export const eventStreamsKind = (sql: Sql, streams: EventStreamsService["Service"]): Kind => {
  const setState = (caller: Member, id: Id<"evs">, state: Entry["state"]) =>
    Effect.asVoid(state === "paused" ? streams.pause(caller, id) : streams.resume(caller, id))
  return {
    kind: "eventStreams",
    permissions: { read: ["eventStreams:read"], write: "eventStreams:write", remove: "eventStreams:manage" },
    secrets: {
      prefix: "STREAM",
      fields: [
        { field: "token", resetBy: ["destination", "url"] },
        { field: "secretAccessKey", resetBy: ["destination", "endpoint", "bucket"] },
        { field: "headers", resetBy: ["destination", "url"] }
      ],
      normalize: (field, value) => {
        const headers = field === "headers" ? headersOf(value) : undefined
        return headers === undefined ? value : linesOf(headers)
      },
      read: Effect.fnUntraced(function* ({ organizationId }, { id }, field) {
        const secret = yield* streams.readSecret(organizationId, id as Id<"evs">)
        if (secret === undefined || field !== "headers") return secret
        return Redacted.make(linesOf(JSON.parse(Redacted.value(secret)) as Readonly<Record<string, string>>))
      })
    },
    read: ({ organizationId }) =>
      Effect.map(
        readPages((after, limit) => repo.list(sql, organizationId, {}, after, limit)),
        (rows) =>
          rows.map((row) => ({
            id: row.id,
            version: row.version,
            name: row.name,
            item: {
              name: row.name,
              types: typesOf(row.types_json),
              state: row.state,
              ...itemOf(row.destination_json, row.has_secret)
            }
          }))
      ),
    normalize: (item) => {
      const { endpoint, types, url, ...rest } = item as unknown as Entry
      return {
        ...rest,
        ...defined({
          url: url === undefined ? undefined : hrefOf(url),
          endpoint: endpoint === undefined ? undefined : hrefOf(endpoint),
          types: types && typesOf(types)
        })
      }
    },
    references: () => [],
    create: Effect.fnUntraced(function* (caller, item) {
      const input = item as unknown as Input
      yield* demandAudit(caller)
      const { id } = yield* atFields(
        streams.create(caller, {
          name: input.name,
          destination: yield* targetOf(input),
          ...defined({ types: input.types })
        })
      )
      if (input.state === "paused") yield* setState(caller, id, input.state)
      return id
    }),
    update: Effect.fnUntraced(function* (caller, current, fields) {
      const id = current.id as Id<"evs">
      const { headers: _headers, secretAccessKey: _key, token: _token, ...before } = current.item as unknown as Entry
      const { name, state, types, ...destination } = fields as Partial<Input>
      const target = Object.keys(destination).length === 0 ? undefined : yield* targetOf({ ...before, ...destination })
      const input = defined({ name, types, destination: target })
      if (Object.keys(input).length > 0) {
        yield* demandAudit(caller)
        yield* atFields(streams.update(at(caller, current), id, input))
      }
      if (state !== undefined && state !== before.state) yield* setState(caller, id, state)
    }),
    remove: (caller, current) => streams.remove(at(caller, current), current.id as Id<"evs">)
  }
}
