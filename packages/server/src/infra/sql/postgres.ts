import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { userInfo } from "node:os"
import type { ConnectionOptions } from "node:tls"
import { openedBy, pipelinedBy } from "./client.ts"
import { makeTypes } from "./int8.ts"
import { Pipeline } from "./pipeline.ts"
import { withLostRollbacks } from "./lost-rollback.ts"
import { backgroundStatementMillis, StatementMillisMax } from "./statement-timeout.ts"
import { OwnConnections } from "./own-connections.ts"
import { withOwnTransactions } from "./transactions.ts"
import { PipelineSession } from "./pipeline-session.ts"
import { Links, type Use } from "./postgres-links.ts"
import { objects } from "./objects.ts"
import { makeCompiler } from "./schema.ts"
import { parsePostgresUrl, type PostgresTarget } from "./postgres-url.ts"
import { isReadOnly } from "./unavailable.ts"
import { measuredBy } from "./usage.ts"

export interface PostgresOptions {
  readonly url: string | Redacted.Redacted
  /** Replaces the password of the URL. A function is called for each new connection. */
  readonly password?: PostgresTarget["password"]
  /** If set, connections are encrypted with these options. */
  readonly tls?: ConnectionOptions
  /** Includes up to three connections for statements outside transactions. Minimum: 2. */
  readonly maxConnections?: number
  /** The server cancels a statement after this time. 0 disables the timeout. */
  readonly statementMillisMax?: number
  /** The server ends a transaction that is idle for this time. 0 disables the timeout. */
  readonly idleTransactionMillisMax?: number
  /** How long a connection is idle before it is probed, and the timeout of the probe. */
  readonly probeMillis?: number
  readonly probeResponseMillis?: number
}

const failed = (message: string, operation: string, cause: unknown = new Error(message)) =>
  new SqlError({ reason: new ConnectionError({ cause, message, operation }) })

/** Connections for the client's protocol, over links that choose the host and detect a dead peer. */
const makeConfig = (options: PostgresOptions, links: Links) => {
  const { target } = links
  const [host] = target.hosts
  return {
    host: host?.host,
    port: host?.port,
    username: target.username,
    database: target.database,
    startupOptions: target.options,
    // The links connect, encrypt and authenticate, with a timeout per host.
    ssl: false,
    connectTimeout: Duration.millis(target.connectMillis * target.hosts.length + 1000),
    idleTimeout: Duration.minutes(1),
    applicationName: target.applicationName ?? "orgplane",
    types: makeTypes(),
    // On a shared connection, a single statement cannot be canceled, so the server limits the time of each statement.
    startupParameters: {
      TimeZone: "UTC",
      statement_timeout: String(options.statementMillisMax ?? 60_000),
      idle_in_transaction_session_timeout: String(options.idleTransactionMillisMax ?? 60_000)
    }
  } satisfies PgPool.Config
}

/** PostgreSQL responds `ROLLBACK` to the `COMMIT` of a transaction that has failed. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    const isRolledBack =
      typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"
    const message = "The transaction had failed and was rolled back."
    return isRolledBack
      ? Effect.fail(
          new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
        )
      : Effect.void
  })

const json = Statement.custom<PgClient.PgCustom>("PgJson")

/**
 * Two pools behind one client. In a single pool a transaction takes over a shared connection, and a statement that was
 * assigned to that connection just before waits until the transaction ends: forever, when the transaction waits for
 * that statement.
 */
const make = Effect.fnUntraced(function* (options: PostgresOptions) {
  const url = typeof options.url === "string" ? options.url : Redacted.value(options.url)
  const parsed = parsePostgresUrl(url)
  if (typeof parsed === "string") return yield* failed(`The PostgreSQL URL ${parsed}.`, "connect")
  const target: PostgresTarget = {
    ...parsed,
    password: options.password ?? parsed.password,
    ...(options.tls === undefined ? {} : { tls: "required", tlsOptions: options.tls })
  }
  const { probeResponseMillis, probeMillis } = options
  const links = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Links({
          target,
          ...(probeMillis === undefined ? {} : { probeMillis }),
          ...(probeResponseMillis === undefined ? {} : { probeResponseMillis })
        })
    ),
    (links) => Effect.sync(() => links.close())
  )
  const maxConnections = Math.max(2, options.maxConnections ?? 10)
  const sharedMax = Math.min(3, Math.floor(maxConnections / 2))
  const config = makeConfig(options, links)
  const startup = PgProtocol.encodeStartupMessage({
    ...config.startupParameters,
    user: target.username ?? userInfo().username,
    database: target.database,
    application_name: config.applicationName,
    options: target.options
  })
  const counts = { statements: 0, errors: 0 }
  const opener = (use: Use) => (onClose: (session: PipelineSession) => void) =>
    new PipelineSession({
      link: links.connect(use),
      startup,
      types: config.types,
      counts,
      onFailure: (error, link) => {
        if (!isReadOnly(error)) return
        links.retire()
        link.destroy(new Error("The server does not accept writes. The connection was closed."))
      },
      onClose
    })
  const shared = yield* Effect.acquireRelease(
    Effect.sync(() => new Pipeline({ open: opener("shared"), connectionsMax: sharedMax })),
    (pipeline) => Effect.sync(() => pipeline.close())
  )
  const own = yield* Effect.acquireRelease(
    Effect.sync(() => new OwnConnections({ open: opener("own"), max: maxConnections - sharedMax })),
    (connections) => Effect.sync(() => connections.close())
  )

  const borrower: Borrower = (use) =>
    Effect.withFiber((fiber) =>
      fiber.getRef(StatementMillisMax) > backgroundStatementMillis ? own.use(use) : use(shared)
    )

  const connect = PgConnection.make({ ...config, stream: () => links.connect("beside") })
  const { compiler, register } = makeCompiler(objects)
  const client = yield* SqlClient.make({
    acquirer: own.acquire,
    borrower,
    transactionAcquirer: own.acquire,
    compiler,
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [
      ["db.system.name", "postgresql"],
      ["db.namespace", target.database ?? target.username ?? "postgres"],
      ["server.address", config.host ?? "localhost"],
      ["server.port", config.port ?? 5432]
    ]
  })
  const pgClient: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json: (value: unknown) => Statement.fragment([json(value)]),
    listen: (channel: string) => Effect.flatMap(connect, (connection) => connection.listen(channel)),
    notify: (channel: string, payload: string) => Effect.asVoid(client`SELECT pg_notify(${channel}, ${payload})::text`)
  })
  openedBy(pgClient, connect)
  pipelinedBy(pgClient, shared)
  const registered = register(withOwnTransactions(withLostRollbacks(pgClient), own, commit))
  measuredBy(registered, () => {
    const { idle, open, timeouts, waiting } = own.usage
    const { idle: sharedIdle, open: sharedOpen } = shared.usage
    return {
      inUse: open - idle + sharedOpen - sharedIdle,
      idle: idle + sharedIdle,
      max: maxConnections,
      waiting,
      timeouts,
      statements: counts.statements,
      errors: counts.errors
    }
  })
  return registered
})

/**
 * A PostgreSQL server, or several of which one accepts writes. Statements outside transactions are pipelined over a few
 * shared connections; a transaction has its own connection, and so has a stream.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> => PgClient.layerFrom(make(options))
