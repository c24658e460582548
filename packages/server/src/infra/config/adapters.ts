import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { tmpdir } from "node:os"
import { layerEmbeddings } from "../adapters/embeddings/index.ts"
import { layerCodeHostGit } from "../adapters/git/index.ts"
import { layerLlmEndpoints } from "../adapters/llm/index.ts"
import { layerMcpServers } from "../adapters/mcp/index.ts"
import { layerModelCatalog, publicCatalogUrl } from "../adapters/models/index.ts"
import { layerOidc } from "../adapters/oidc/index.ts"
import { layerLocalProvisioner } from "../adapters/provisioner-local/index.ts"
import { layerRemoteContent, mirrorOriginsOf, parseRemoteSource } from "../adapters/remote/index.ts"
import { layerCodeHostRest, layerNoCodeHostRest, originsOf } from "../adapters/rest/index.ts"
import { layerSaml } from "../adapters/saml/index.ts"
import { layerSuites, suiteOriginsOf } from "../adapters/suites/index.ts"
import type { ControlPlaneOptions } from "../options.ts"
import { layerDnsText, layerOutbound, type OutboundMisconfigured } from "../outbound/index.ts"
import { Authenticator } from "../ports/authenticator.ts"
import type { Outbound } from "../ports/outbound.ts"
import { blobBoundsOf } from "./plugin-bounds.ts"

/** The URL is for repositories. The outbound HTTP client checks its address. */
const allowsSomeHttp = ({ outbound }: ControlPlaneOptions): boolean =>
  typeof outbound?.allowHttp === "boolean" ? outbound.allowHttp : (outbound?.allowHttp ?? []).length > 0

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

/** The embeddings endpoint that the operator configured. */
export const layerConfiguredEmbeddings = (embeddings: NonNullable<ControlPlaneOptions["embeddings"]>) => {
  const { apiKey } = embeddings
  return layerEmbeddings({ ...embeddings, apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey) })
}

const layerEmbedder = ({ embeddings, ports }: ControlPlaneOptions) => {
  if (ports?.embedder !== undefined) return ports.embedder
  return embeddings === undefined ? Layer.empty : layerConfiguredEmbeddings(embeddings)
}

const remoteSourcesOf = (options: ControlPlaneOptions) =>
  (options.remoteSources ?? []).map((text) => {
    const rule = parseRemoteSource(text)
    if (rule === undefined) throw new Error("A remote source must be a host, or host=URL of a mirror.")
    return rule
  })

/** The options with the default URL of the catalog. */
const withCatalog = (options: ControlPlaneOptions) => ({ ...options, modelsUrl: options.modelsUrl ?? publicCatalogUrl })

/** The URL of the model catalog. Null if the operator has turned it off. */
export const modelsUrlOf = (options: ControlPlaneOptions): string | null => {
  const { modelsUrl } = withCatalog(options)
  return modelsUrl === "off" ? null : modelsUrl
}

/** The URLs that the operator configured and that outbound requests use. */
export const configuredUrlsOf = (options: ControlPlaneOptions): ReadonlyArray<string> => [
  ...(options.codeHostApp === undefined ? [] : originsOf(options.codeHostApp)),
  ...(options.embeddings === undefined ? [] : [options.embeddings.url]),
  ...(options.modelsUrl === undefined || options.modelsUrl === "off" ? [] : [options.modelsUrl]),
  ...mirrorOriginsOf(remoteSourcesOf(options)),
  ...[options.suites?.["suite-a"], options.suites?.["suite-b"]].flatMap((suite) =>
    suite === undefined ? [] : suiteOriginsOf(suite)
  )
]

/** The outbound HTTP client, which may also connect to the origins that the operator configured, and to the default catalog. */
export const layerOutboundHttp = (options: ControlPlaneOptions): Layer.Layer<Outbound, OutboundMisconfigured> =>
  options.ports?.outbound ??
  layerOutbound({
    ...options.outbound,
    ...(options.dnsServers === undefined ? {} : { dnsServers: options.dnsServers }),
    loopback: options.provisioner !== undefined,
    configuredOrigins: configuredUrlsOf(withCatalog(options))
  })

/** `layerDnsText` rejects a DNS server that is not a valid address, but the outbound HTTP client rejects it earlier. */
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

/** The adapters that the options select for the ports. */
export const layerAdapters = (options: ControlPlaneOptions) =>
  Layer.mergeAll(
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
  ).pipe(Layer.provideMerge(layerOutboundHttp(options)), Layer.merge(layerAuthenticator(options)))
