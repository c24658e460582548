/** Checks the configuration, and connects to the services that are configured. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { access, constants } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { parseSmtpUrl, verifySmtp } from "../../infra/adapters/mailer-smtp.ts"
import { findOwnApp } from "../../infra/adapters/rest/index.ts"
import { configuredUrlsOf, layerOutboundHttp } from "../../infra/config/adapters.ts"
import type { Configuration } from "../../infra/config/environment.ts"
import { configurationFaults, readConfiguration, type Sources } from "../../infra/config/read-configuration.ts"
import { describeUnknown, unknownVariables } from "../../infra/config/unknown-variables.ts"
import { variables } from "../../infra/config/variables.ts"
import type { ControlPlaneOptions, Database } from "../../infra/options.ts"
import { probeCollector } from "../../infra/otlp.ts"
import { pathExists } from "../../infra/path-exists.ts"
import { parseDnsServer, probeDnsServer, probeProxy } from "../../infra/outbound/index.ts"
import { endpointOf } from "../../infra/sql/await-postgres.ts"
import { DataDirIncomplete, inspectDataDir } from "../../infra/sql/data-dir-state.ts"
import {
  databaseState,
  newerSchemaFix,
  onExistingDatabase,
  schemaFault,
  schemaVersion
} from "../../infra/sql/database.ts"
import { demandSessions } from "../../infra/sql/pooler.ts"
import { codeOf, rootOf } from "../../infra/sql/failure-code.ts"
import type { Finding } from "../report.ts"
import { failed, ok, unset } from "./findings.ts"
import { checkCatalog, checkEmbedder, checkSuite, checkWorkerCommand } from "./providers.ts"

/** The cause and the fix of a failure to use the database, on one line. */
export type DescribeFailure = (cause: Cause.Cause<unknown>, context: { readonly database: Database }) => string

/** Unknown variables, and the number of settings. */
const settingsFindings = (sources: Sources): ReadonlyArray<Finding> => {
  const unknown = unknownVariables(sources.environment).map((variable) => {
    const { fix, message } = describeUnknown(variable)
    return failed("configuration", message, fix)
  })
  const findings = [...unknown, ...configurationFaults(sources).map((fault) => failed("configuration", fault))]
  if (findings.length > 0) return findings
  const set = Object.keys(variables).filter((name) => (sources.environment[name] ?? "").trim() !== "").length
  const place = sources.file === undefined ? "the environment" : `the environment and ${sources.file.path}`
  return [ok("configuration", `${set} ${set === 1 ? "setting" : "settings"} in ${place}, and all are valid.`)]
}

const isWritable = (path: string) =>
  access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false
  )

/** Whether a directory exists; if not, the nearest one that does. */
const nearest = async (path: string): Promise<string> =>
  dirname(path) === path || (await pathExists(path)) ? path : nearest(dirname(path))

/** Neither opens nor changes the data directory, which a running server may use. */
const checkEmbedded = (dataDir: string) =>
  Effect.promise(async (): Promise<Finding> => {
    if (dataDir === "memory") return ok("database", "The embedded database is in memory.")
    const directory = resolve(dataDir)
    const existing = await nearest(directory)
    if (!(await isWritable(existing))) {
      return failed(
        "database",
        `This user cannot write to ${existing}.`,
        "Check ORGPLANE_DATA_DIR and the permissions."
      )
    }
    const fresh = ok("database", `The first start creates the embedded database in ${directory}.`)
    if (existing !== directory) return fresh
    try {
      const state = await inspectDataDir(directory)
      return state === "empty" ? fresh : ok("database", `The embedded database is in ${directory}.`)
    } catch (error) {
      if (error instanceof DataDirIncomplete) return failed("database", error.message)
      return failed("database", `Cannot read ${directory} (${codeOf(error) ?? "unknown error"}).`)
    }
  })

const checkServer = (database: Extract<Database, { kind: "postgres" }>, describe: DescribeFailure) =>
  onExistingDatabase(
    database,
    Effect.tap(databaseState, () => demandSessions(database.url))
  ).pipe(
    Effect.map((state): Finding => {
      const where = `PostgreSQL ${state.server} at ${endpointOf(database.url)}`
      if (!state.isWritable) {
        return failed("database", `${where} is a standby or read-only.`, "Set ORGPLANE_DATABASE_URL to the primary.")
      }
      const fault = schemaFault(state.schema, `${where} has schema version`)
      if (fault !== undefined) return failed("database", fault, newerSchemaFix)
      const version = `${where} has schema version ${state.schema.version}`
      if (state.schema.version > schemaVersion) {
        return ok(
          "database",
          `${version}. It is newer than that of this release (${schemaVersion}), and compatible with it.`
        )
      }
      if (state.pending.length === 0) return ok("database", `${version}.`)
      return database.migrations === "check"
        ? failed("database", `${version}, but this release requires ${schemaVersion}.`, "Run orgplane-server migrate.")
        : ok("database", `${version}. The next start runs ${state.pending.length} migrations.`)
    }),
    Effect.catchCause((cause) => Effect.succeed(failed("database", describe(cause, { database }))))
  )

const smtpReasons: Readonly<Record<string, string>> = {
  EAUTH: "The mail server rejects the user or the password.",
  ETLS: "The mail server does not support TLS, which is required.",
  ETIMEDOUT: "The mail server does not respond in time."
}

const checkSmtp = ({ database, mailer, outbound }: ControlPlaneOptions) => {
  const server = mailer !== undefined && "smtpUrl" in mailer ? parseSmtpUrl(mailer.smtpUrl) : undefined
  if (server === undefined) {
    const effect = database.kind === "postgres" ? "No email is sent." : "Emails are written to outbox.ndjson."
    return Effect.succeed(unset("smtp", `ORGPLANE_SMTP_URL is not set. ${effect}`))
  }
  const where = `${server.host}:${server.port}`
  return verifySmtp(server, outbound?.ca).pipe(
    Effect.as(ok("smtp", `The mail server ${where} accepts the connection${server.auth ? " and the password" : ""}.`)),
    Effect.catch(({ code }) =>
      Effect.succeed(
        failed(
          "smtp",
          `Cannot use the mail server ${where} (${code}). ${smtpReasons[code] ?? ""}`.trim(),
          "Check ORGPLANE_SMTP_URL."
        )
      )
    )
  )
}

/** What to do when the proxy returns a status other than 200 for CONNECT. */
const proxyFix = (status: number | undefined) =>
  status === 407
    ? "Check the user and the password in ORGPLANE_OUTBOUND_PROXY."
    : "Allow CONNECT to this address in the proxy, or check ORGPLANE_OUTBOUND_PROXY and the log of the proxy."

const checkProxy = (options: ControlPlaneOptions) => {
  const { ca, proxy } = options.outbound ?? {}
  if (proxy === undefined) return Effect.succeed(unset("outbound proxy", "ORGPLANE_OUTBOUND_PROXY is not set."))
  const { host } = new URL(proxy)
  return probeProxy({ proxy, ca, dnsServers: options.dnsServers ?? [], urls: configuredUrlsOf(options) }).pipe(
    Effect.map((tunnel) => {
      if (tunnel === undefined) {
        return ok(
          "outbound proxy",
          `The proxy ${host} accepts connections. CONNECT was not checked, because the configuration names no host with a public address.`
        )
      }
      const target = `${tunnel.host}:${tunnel.port} (${tunnel.address})`
      if (tunnel.status === 200) {
        return ok("outbound proxy", `The proxy ${host} returned status 200 for CONNECT to ${target}.`)
      }
      const response = tunnel.status === undefined ? "closed the connection" : `returned status ${tunnel.status}`
      return failed(
        "outbound proxy",
        `The proxy ${host} ${response} for CONNECT to ${target}.`,
        proxyFix(tunnel.status)
      )
    }),
    Effect.catch((error) =>
      Effect.succeed(
        failed(
          "outbound proxy",
          `Cannot connect to the proxy ${host}. ${error.message}`,
          "Check ORGPLANE_OUTBOUND_PROXY."
        )
      )
    )
  )
}

/** A name to look up: that of the server, or one that never exists (RFC 6761). */
const nameToResolve = ({ publicUrl = "http://localhost" }: ControlPlaneOptions): string => {
  const { hostname } = new URL(publicUrl)
  return /[a-z]/i.test(hostname) && hostname.includes(".") && !hostname.includes(":") ? hostname : "orgplane.invalid"
}

const checkDns = (options: ControlPlaneOptions) => {
  const servers = options.dnsServers ?? []
  if (servers.length === 0) {
    return Effect.succeed([unset("dns", "ORGPLANE_DNS_SERVERS is not set. The system's resolver is used.")])
  }
  return Effect.forEach(
    servers,
    (server) =>
      Effect.tryPromise({
        try: (signal) => probeDnsServer(parseDnsServer(server) ?? server, nameToResolve(options), signal),
        catch: (cause) => codeOf(cause) ?? "unknown error"
      }).pipe(
        Effect.as(ok("dns", `The name server ${server} responds.`)),
        Effect.catch((code) =>
          Effect.succeed(
            failed("dns", `The name server ${server} does not respond (${code}).`, "Check ORGPLANE_DNS_SERVERS.")
          )
        )
      ),
    { concurrency: "unbounded" }
  )
}

const checkCodeHost = (options: ControlPlaneOptions) => {
  const { codeHostApp } = options
  if (codeHostApp === undefined) {
    return Effect.succeed(unset("code host", "ORGPLANE_CODEHOST_URL is not set. Repositories are read with plain git."))
  }
  const where = new URL(codeHostApp.url).host
  return findOwnApp({
    ...codeHostApp,
    privateKey: Redacted.make(codeHostApp.privateKey),
    clientSecret: Redacted.make(codeHostApp.clientSecret)
  }).pipe(
    Effect.scoped,
    Effect.provide(layerOutboundHttp(options)),
    Effect.map(({ slug }) => ok("code host", `${where} accepts the key of the app ${slug}.`)),
    Effect.timeoutOrElse({
      duration: "15 seconds",
      orElse: () =>
        Effect.succeed(failed("code host", `${where} does not respond in time.`, "Check ORGPLANE_CODEHOST_URL."))
    }),
    Effect.catch((error) =>
      Effect.succeed(
        failed("code host", `Cannot use ${where}. ${error.message}`, "Check the ORGPLANE_CODEHOST_ variables.")
      )
    )
  )
}

const checkCollector = ({ otlpUrl }: ControlPlaneOptions) => {
  if (otlpUrl === undefined) return Effect.succeed(unset("otlp collector", "ORGPLANE_OTLP_URL is not set."))
  const { host } = new URL(otlpUrl)
  const fix = "Check ORGPLANE_OTLP_URL: the base URL of a collector that accepts OTLP over HTTP as JSON."
  return probeCollector(otlpUrl).pipe(
    Effect.map((status) =>
      status < 300
        ? ok("otlp collector", `The collector ${host} accepts traces.`)
        : failed("otlp collector", `The collector ${host} returned status ${status} for traces.`, fix)
    ),
    Effect.catch((error) =>
      Effect.succeed(
        failed(
          "otlp collector",
          `Cannot connect to the collector ${host} (${codeOf(rootOf(error)) ?? "no response"}).`,
          fix
        )
      )
    )
  )
}

const connections = ({ options }: Configuration, describe: DescribeFailure) =>
  Effect.map(
    Effect.all(
      [
        options.database.kind === "pglite"
          ? checkEmbedded(options.database.dataDir)
          : checkServer(options.database, describe),
        checkSmtp(options),
        checkProxy(options),
        checkDns(options),
        checkCodeHost(options),
        checkCatalog(options),
        checkEmbedder(options),
        checkSuite(options, "suite-a"),
        checkSuite(options, "suite-b"),
        checkWorkerCommand(options),
        checkCollector(options)
      ],
      { concurrency: "unbounded" }
    ),
    (findings) => findings.flat()
  )

/** Checks the settings and, if they are well-formed, connects to the services that they name. */
export const checkConfig = (sources: Sources, describe: DescribeFailure) =>
  Effect.suspend(() => {
    const settings = settingsFindings(sources)
    return configurationFaults(sources).length > 0
      ? Effect.succeed(settings)
      : Effect.map(connections(readConfiguration(sources), describe), (found) => [...settings, ...found])
  })
