import { OrgplaneApi } from "@orgplane/schema/api"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import { tmpdir } from "node:os"
import { AccessService } from "./identity/access/service.ts"
import { AuditChain } from "./identity/audit/chain.ts"
import { layerEmbeddings } from "./infra/adapters/embeddings/index.ts"
import { layerCodeHostGit } from "./infra/adapters/git/index.ts"
import { layerLocalProvisioner } from "./infra/adapters/provisioner-local/index.ts"
import { layerCodeHostRest, layerNoCodeHostRest, originsOf } from "./infra/adapters/rest/index.ts"
import { layerLlmEndpoints } from "./infra/adapters/llm/index.ts"
import { layerMcpServers } from "./infra/adapters/mcp/index.ts"
import { layerModelCatalog, publicCatalogUrl } from "./infra/adapters/models/index.ts"
import { layerOidc } from "./infra/adapters/oidc/index.ts"
import { layerSaml } from "./infra/adapters/saml/index.ts"
import { layerSuites, suiteOriginsOf } from "./infra/adapters/suites/index.ts"
import { layerRemoteContent, mirrorOriginsOf, parseRemoteSource } from "./infra/adapters/remote/index.ts"
import { layerAuthentication, layerValidation } from "./identity/auth/authentication.ts"
import { Principals } from "./identity/auth/principals.ts"
import { BootstrapService } from "./identity/bootstrap/service.ts"
import { type PluginBounds, pluginBoundsDefault, Settings } from "./infra/config/settings.ts"
import { AccountsService } from "./content/connectors/accounts-service.ts"
import { ConnectService } from "./content/connectors/connect-service.ts"
import { DiscoveryService } from "./content/connectors/discovery-service.ts"
import { ImportService } from "./content/connectors/import-service.ts"
import { MappingsService } from "./content/connectors/mappings-service.ts"
import { ConnectorOperationsService } from "./content/connectors/operations-service.ts"
import { RemotePlugins } from "./content/connectors/remote-plugins.ts"
import { ConnectorsService } from "./content/connectors/service.ts"
import { ReconcileService } from "./content/connectors/reconcile.ts"
import { RemoteEvents } from "./content/connectors/remote-events.ts"
import { SyncService } from "./content/connectors/sync.ts"
import { isSealed, layerCanary } from "./infra/crypto/canary.ts"
import { KeyRing } from "./infra/crypto/key-ring.ts"
import { SigningKeys } from "./infra/crypto/signing-keys.ts"
import { DomainReproof } from "./enterprise/domains/reproof.ts"
import { trustedProxies } from "./infra/http/client-address.ts"
import { compileSchemas } from "./infra/http/compile-schemas.ts"
import { layerEdge, routeNotFound } from "./infra/http/edge.ts"
import { corsOrigins, isLoopbackHost } from "./infra/http/headers.ts"
import { holdsLinkToken, PresentedLinkToken, takeLinkToken } from "./infra/http/link-token.ts"
import { layerMetrics } from "./infra/http/metrics.ts"
import { housekeeping } from "./operations/housekeeping/housekeeping.ts"
import { SyncJobs } from "./infra/jobs/index.ts"
import { CredentialGate } from "./infra/limits/credential-gate.ts"
import { RateLimiter } from "./infra/limits/index.ts"
import { CatalogService } from "./agents/llm-providers/catalog-service.ts"
import { LlmConnectService } from "./agents/llm-providers/connect-service.ts"
import { LlmProvidersService } from "./agents/llm-providers/service.ts"
import { MailQueue } from "./infra/mail/index.ts"
import { layerMailer } from "./infra/mail/mailer.ts"
import { McpCallService } from "./agents/mcp-connections/call-service.ts"
import { McpConnectService } from "./agents/mcp-connections/connect-service.ts"
import { McpConnectionsService } from "./agents/mcp-connections/service.ts"
import { McpToolsService } from "./agents/mcp-connections/tools-service.ts"
import { embedding } from "./agents/memory/embedding.ts"
import { Mutate } from "./infra/mutate/index.ts"
import type { ControlPlaneOptions } from "./infra/options.ts"
import {
  layerDnsText,
  layerOutbound,
  mayBePlain,
  type OutboundMisconfigured,
  parsePlainHttp
} from "./infra/outbound/index.ts"
import { layerOAuth } from "./agents/oauth/index.ts"
import { Pages } from "./infra/pages/index.ts"
import { Authenticator } from "./infra/ports/authenticator.ts"
import type { Outbound } from "./infra/ports/outbound.ts"
import { reseal } from "./operations/reseal/index.ts"
import { routes } from "./routes.ts"
import { secretKeysOf } from "./infra/secret-keys.ts"
import { ScimLog } from "./infra/scim/log.ts"
import { seedDemo } from "./seed.ts"
import { SqlDatabase } from "./infra/sql/client.ts"
import { layerDatabase, schemaVersion } from "./infra/sql/database.ts"
import { shareWakes } from "./infra/sql/wakes.ts"
import { PluginArchives } from "./content/plugins/archive-service.ts"
import { layerLinkPages } from "./operations/system/link-pages.ts"
import { TelemetrySummary } from "./agents/telemetry/summary.ts"
import { keepPartitions } from "./agents/telemetry/keep-partitions.ts"
import { version } from "./infra/version.ts"
import { WebhookInbox } from "./content/webhooks/inbox.ts"
import { WorkerSupervisor } from "./agents/workers/supervisor.ts"
import { withoutTrailing } from "./infra/normalize.ts"

const trimSlash = (url: string) => withoutTrailing(url, "/")

/** The public URL of everything below the path prefix. A `publicUrl` with its own path is used as it is. */
const publicUrlOf = ({ pathPrefix = "/", publicUrl = "http://localhost" }: ControlPlaneOptions): string =>
  trimSlash(new URL(publicUrl).pathname === "/" ? `${trimSlash(publicUrl)}${pathPrefix}` : publicUrl)

/**
 * The link in an email leads to a page of the host application when it configures one, otherwise to a built-in page.
 */
const linksOf = (options: ControlPlaneOptions) => {
  const own = publicUrlOf(options)
  const link = (configured: string | undefined, path: string) => {
    if (configured === undefined) return own + path
    if (!URL.canParse(configured) || configured.includes("#"))
      throw new Error(`"${configured}" is not a valid link. Use an absolute URL without a fragment (#).`)
    return configured
  }
  const { claim, invitation, signIn } = options.links ?? {}
  return {
    signIn: link(signIn, "/sign-in"),
    invitation: link(invitation, "/invitation"),
    claim: link(claim, "/claim")
  }
}

/** The outbound HTTP client rejects malformed entries when it is created. */
const mayBePlainHttp = (options: ControlPlaneOptions) => {
  const plainHttp = parsePlainHttp(options.outbound?.allowHttp ?? false)
  return (url: URL): boolean => plainHttp !== undefined && mayBePlain(plainHttp, url)
}

/** For repositories; the outbound HTTP client checks the address. */
const allowsSomeHttp = ({ outbound }: ControlPlaneOptions): boolean =>
  typeof outbound?.allowHttp === "boolean" ? outbound.allowHttp : (outbound?.allowHttp ?? []).length > 0

const pluginBoundsOf = ({ pluginBounds }: ControlPlaneOptions): PluginBounds => ({
  ...pluginBoundsDefault,
  ...pluginBounds
})

/** Repository readers must accept every file that a plugin may contain. */
const blobBoundsOf = (options: ControlPlaneOptions) => ({
  blobBytesMax: Math.max(pluginBoundsDefault.fileBytesMax, pluginBoundsOf(options).fileBytesMax)
})

const layerSettings = (options: ControlPlaneOptions) => {
  // Without configuration, anyone can create workspaces only if the server runs on the local machine.
  const isOwnMachine = isLoopbackHost(new URL(options.publicUrl ?? "http://localhost").hostname)
  const bootstrap = options.bootstrap ?? (isOwnMachine ? "open" : "off")
  return Layer.succeed(Settings, {
    publicUrl: publicUrlOf(options),
    links: linksOf(options),
    corsOrigins: corsOrigins(options.corsOrigins ?? []),
    mayBePlainHttp: mayBePlainHttp(options),
    bootstrap:
      typeof bootstrap === "object"
        ? { kind: "token", token: bootstrap.token }
        : bootstrap === "off"
          ? { kind: "off" }
          : { kind: "open" },
    defaultPlan: options.defaultPlan ?? "enterprise",
    platformAdmins: new Set((options.platformAdmins ?? []).map((email) => email.trim().toLowerCase())),
    metricsToken: options.metricsToken ?? null,
    webhookSecrets: options.webhookSecrets ?? [],
    reconcileSeconds: options.reconcileSeconds ?? 900,
    pluginBounds: pluginBoundsOf(options),
    telemetry: {
      types: new Set(options.telemetry?.types ?? []),
      retentionDays: options.telemetry?.retentionDays ?? 400
    },
    controlPlaneUrl: trimSlash(options.provisioner?.controlPlaneUrl ?? publicUrlOf(options)),
    heartbeatSeconds: options.workerHeartbeatSeconds ?? 30,
    disk:
      options.database.kind === "pglite" && options.database.dataDir !== "memory"
        ? { directory: options.database.dataDir, bytesMin: (options.diskFreeMinMiB ?? 256) * 1024 * 1024 }
        : null,
    version,
    schemaVersion
  })
}

const layerKeys = (options: ControlPlaneOptions) =>
  Layer.unwrap(
    Effect.flatMap(isSealed, (sealed) => Effect.map(secretKeysOf(options, sealed), (secrets) => KeyRing.layer(secrets)))
  )

const layerAuthenticator = (options: ControlPlaneOptions) => {
  const { authenticator, personOf } = options
  return authenticator === undefined && personOf === undefined
    ? Layer.empty
    : Layer.succeed(Authenticator, {
        identify: (request) => Effect.promise(() => authenticator?.(request) ?? Promise.resolve(null)),
        find: (subject, organizationId) =>
          Effect.promise(() => personOf?.(subject, organizationId) ?? Promise.resolve(null))
      })
}

const layerProvisioner = (options: ControlPlaneOptions) =>
  options.ports?.provisioner ??
  (options.provisioner === undefined ? Layer.empty : layerLocalProvisioner(options.provisioner))

const layerEmbedder = (options: ControlPlaneOptions) => {
  const { embeddings, ports } = options
  if (ports?.embedder !== undefined) return ports.embedder
  if (embeddings === undefined) return Layer.empty
  const { apiKey } = embeddings
  return layerEmbeddings({ ...embeddings, apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey) })
}

const remoteSourcesOf = (options: ControlPlaneOptions) =>
  (options.remoteSources ?? []).map((text) => {
    const rule = parseRemoteSource(text)
    if (rule === undefined) throw new Error("A remote source must be a host, or host=URL of a mirror.")
    return rule
  })

const modelsUrlOf = ({ modelsUrl = publicCatalogUrl }: ControlPlaneOptions): string | null =>
  modelsUrl === "off" ? null : modelsUrl

/** The outbound HTTP client, which may also connect to the origins that the operator configured. */
const layerOutboundHttp = (options: ControlPlaneOptions): Layer.Layer<Outbound, OutboundMisconfigured> =>
  options.ports?.outbound ??
  layerOutbound({
    ...options.outbound,
    ...(options.dnsServers === undefined ? {} : { dnsServers: options.dnsServers }),
    loopback: options.provisioner !== undefined,
    configuredOrigins: [
      ...mirrorOriginsOf(remoteSourcesOf(options)),
      ...[modelsUrlOf(options)].filter((url) => url !== null),
      ...(options.embeddings === undefined ? [] : [options.embeddings.url]),
      ...(options.codeHostApp === undefined ? [] : originsOf(options.codeHostApp)),
      ...[options.suites?.["suite-a"], options.suites?.["suite-b"]].flatMap((suite) =>
        suite === undefined ? [] : suiteOriginsOf(suite)
      )
    ]
  })

/** `layerDnsText` names a DNS server that is not a valid address; the outbound HTTP client has rejected it by then. */
const layerDns = (options: ControlPlaneOptions) => options.ports?.dnsText ?? layerDnsText(options.dnsServers ?? [])

const layerRemotes = (options: ControlPlaneOptions) =>
  layerRemoteContent({
    rules: remoteSourcesOf(options),
    workDir: options.git?.workDir ?? tmpdir(),
    allowHttp: allowsSomeHttp(options),
    gitBounds: blobBoundsOf(options),
    archiveBounds: { fileBytesMax: blobBoundsOf(options).blobBytesMax }
  })

const layerCodeHost = (options: ControlPlaneOptions) =>
  options.ports?.codeHost ??
  layerCodeHostGit({
    localRoots: options.git?.localRoots ?? [],
    systemGit: options.git?.systemGit ?? "auto",
    workDir: options.git?.workDir ?? tmpdir(),
    allowHttp: allowsSomeHttp(options),
    bounds: blobBoundsOf(options)
  })

/** The REST API of the code host, if the operator configured an app there. */
const layerCodeHostApp = (options: ControlPlaneOptions) => {
  const { codeHostApp } = options
  if (options.ports?.codeHostApp !== undefined) return options.ports.codeHostApp
  if (codeHostApp === undefined) return layerNoCodeHostRest
  return layerCodeHostRest({
    ...codeHostApp,
    privateKey: Redacted.make(codeHostApp.privateKey),
    clientSecret: Redacted.make(codeHostApp.clientSecret)
  })
}

/** Everything below HTTP: the services that modules share. */
const layerServices = (options: ControlPlaneOptions) => {
  const outside = Layer.mergeAll(
    layerCodeHost(options),
    layerCodeHostApp(options),
    layerRemotes(options),
    layerMcpServers,
    layerProvisioner(options),
    layerLlmEndpoints,
    layerModelCatalog({ address: modelsUrlOf(options) }),
    layerSuites(options.suites ?? {}),
    layerEmbedder(options),
    layerDns(options),
    layerOidc,
    layerSaml
  ).pipe(Layer.provideMerge(layerOutboundHttp(options)))
  return BootstrapService.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(McpCallService.layer, McpConnectService.layer, LlmConnectService.layer)),
    Layer.provideMerge(LlmProvidersService.layer),
    Layer.provideMerge(CatalogService.layer),
    Layer.provideMerge(Layer.mergeAll(McpToolsService.layer, WebhookInbox.layer)),
    Layer.provideMerge(McpConnectionsService.layer),
    Layer.provideMerge(MappingsService.layer),
    Layer.provideMerge(ConnectorOperationsService.layer),
    Layer.provideMerge(ImportService.layer),
    Layer.provideMerge(Layer.mergeAll(AccountsService.layer, ConnectService.layer)),
    Layer.provideMerge(
      Layer.mergeAll(ConnectorsService.layer, ReconcileService.layer.pipe(Layer.provideMerge(RemoteEvents.layer)))
    ),
    Layer.provideMerge(SyncService.layer),
    Layer.provideMerge(DiscoveryService.layer),
    Layer.provideMerge(RemotePlugins.layer),
    Layer.provideMerge(Layer.mergeAll(WorkerSupervisor.layer, DomainReproof.layer)),
    Layer.provideMerge(
      Layer.mergeAll(AccessService.layer, AuditChain.layer, TelemetrySummary.layer, PluginArchives.layer, layerOAuth)
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Mutate.layer,
        SigningKeys.layer,
        Principals.layer,
        CredentialGate.layer.pipe(Layer.provideMerge(RateLimiter.layer)),
        Pages.layer,
        SyncJobs.layer,
        ScimLog.layer
      )
    ),
    Layer.provideMerge(MailQueue.layer.pipe(Layer.provide(layerMailer(options)))),
    Layer.provideMerge(
      Layer.mergeAll(
        layerSettings(options),
        Layer.provideMerge(layerCanary, layerKeys(options)),
        outside,
        layerAuthenticator(options)
      )
    ),
    Layer.provideMerge(layerDatabase(options.database)),
    Layer.provideMerge(Reactivity.layer)
  )
}

const layerRoutes = (options: ControlPlaneOptions) => {
  const publicHost = new URL(options.publicUrl ?? "http://localhost").hostname.toLowerCase()
  return Layer.mergeAll(
    HttpApiBuilder.layer(OrgplaneApi).pipe(
      Layer.provide(routes),
      Layer.provide([layerAuthentication, layerValidation])
    ),
    layerMetrics,
    layerLinkPages,
    // HEAD is not listed: the router derives it from GET.
    ...(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const).map((method) =>
      HttpRouter.add(method, "/*", Effect.sync(routeNotFound))
    ),
    layerEdge({
      hosts: new Set([publicHost, ...(options.hosts ?? []).map((host) => host.toLowerCase())]),
      trustedProxies: trustedProxies(options.trustedProxies ?? []),
      headers: {
        secure: options.publicUrl?.startsWith("https:") === true,
        corsOrigins: corsOrigins(options.corsOrigins ?? [])
      },
      statementMillisMax: (options.databaseTimeoutSeconds ?? 10) * 1000
    })
  ).pipe(Layer.provide(HttpServer.layerServices))
}

/** Short names of public operations, for load balancers and people. */
const aliases: Readonly<Record<string, string>> = {
  "/health": "/v1/health",
  "/ready": "/v1/ready",
  "/openapi.json": "/v1/openapi.json",
  "/docs": "/v1/docs"
}

/**
 * The path for the router: without the prefix, a trailing slash or an alias. A path outside the prefix becomes the
 * root, which has no route.
 */
const routed = (url: string, prefix: string): string => {
  if (prefix !== "" && url !== prefix && !url.startsWith(`${prefix}/`) && !url.startsWith(`${prefix}?`)) return "/"
  const own = url.slice(prefix.length)
  const question = own.indexOf("?")
  const path = question === -1 ? own : own.slice(0, question)
  const plain = path.length > 1 && path.endsWith("/") ? withoutTrailing(path, "/") : path === "" ? "/" : path
  return (aliases[plain] ?? plain) + (question === -1 ? "" : own.slice(question))
}

/** The request handler of a built control plane. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/**
 * Serves a request whose URL contains a link token: nothing below sees the token in the URL. The framework's own span
 * would record the original URL, so this span replaces it.
 */
const withoutLinkToken = <A extends HttpServerResponse.HttpServerResponse, E, R>(
  handled: Effect.Effect<A, E, R>,
  request: HttpServerRequest.HttpServerRequest,
  routedUrl: string
) => {
  const { token, url } = takeLinkToken(routedUrl)
  return handled.pipe(
    Effect.tap((response) => Effect.annotateCurrentSpan("http.response.status_code", response.status)),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url })),
    Effect.provideService(PresentedLinkToken, token),
    Effect.withSpan(`http.server ${request.method}`, {
      kind: "server",
      attributes: { "http.request.method": request.method, "url.path": url },
      parent: Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers))
    })
  )
}

/** The framework's server spans would contain the link token; `makeApp` creates those spans itself. */
export const untracedLinks = (request: HttpServerRequest.HttpServerRequest) => holdsLinkToken(request.url)

/** Builds a control plane that lives as long as the scope. */
export const makeApp = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  compileSchemas(OrgplaneApi)
  const services = yield* Layer.build(layerServices(options))
  const handled = yield* HttpRouter.toHttpEffect(layerRoutes(options)).pipe(
    Effect.provideContext(services),
    // Paths are case-sensitive, as documented. The schema limits the length of an identifier.
    Effect.provideService(HttpRouter.RouterConfig, { caseSensitive: true, maxParamLength: 16_384 })
  )
  const sql = yield* SqlDatabase.pipe(Effect.provideContext(services))
  yield* shareWakes(sql, options.workers !== false).pipe(Effect.provideContext(services), Effect.forkScoped)
  if (options.workers !== false) {
    const sync = yield* SyncService.pipe(Effect.provideContext(services))
    yield* sync.worker.pipe(Effect.provideContext(services), Effect.forkScoped)
    const reconcile = yield* ReconcileService.pipe(Effect.provideContext(services))
    yield* reconcile.worker.pipe(Effect.forkScoped)
    const inbox = yield* WebhookInbox.pipe(Effect.provideContext(services))
    yield* inbox.worker.pipe(Effect.forkScoped)
    const chain = yield* AuditChain.pipe(Effect.provideContext(services))
    yield* chain.worker.pipe(Effect.forkScoped)
    const telemetry = yield* TelemetrySummary.pipe(Effect.provideContext(services))
    yield* telemetry.worker.pipe(Effect.forkScoped)
    const supervisor = yield* WorkerSupervisor.pipe(Effect.provideContext(services))
    yield* supervisor.worker.pipe(Effect.forkScoped)
    const reproof = yield* DomainReproof.pipe(Effect.provideContext(services))
    yield* reproof.worker.pipe(Effect.forkScoped)
    yield* housekeeping.pipe(Effect.provideContext(services), Effect.forkScoped)
    yield* reseal.pipe(Effect.provideContext(services), Effect.forkScoped)
    yield* embedding.pipe(Effect.provideContext(services), Effect.forkScoped)
    yield* keepPartitions.pipe(Effect.provideContext(services), Effect.forkScoped)
  }
  const prefix = options.pathPrefix === undefined ? "" : trimSlash(options.pathPrefix)
  const app = Effect.withFiber((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const routedUrl = routed(request.url, prefix)
    if (holdsLinkToken(routedUrl)) return withoutLinkToken(handled, request, routedUrl)
    return routedUrl === request.url
      ? handled
      : Effect.provideService(handled, HttpServerRequest.HttpServerRequest, request.modify({ url: routedUrl }))
  }) as App
  /** Creates the demo workspace in an empty database. */
  const demo = (dataDir: string) => seedDemo(dataDir, services)
  return { app, demo, services } as const
})
