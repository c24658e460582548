export { Authenticator, type HostIdentity } from "./authenticator.ts"
export {
  CodeHost,
  CodeHostFailed,
  type Repository,
  type RepositoryInfo,
  type Snapshot,
  type TreeEntry
} from "./code-host.ts"
export {
  CodeHostApp,
  type HostPage,
  type Installation,
  type InstallationRef,
  type InstalledInfo,
  type InstalledRepository,
  type ListedBranch,
  type ListedRepository,
  type Proof
} from "./code-host-app.ts"
export { DnsText, DnsTextFailed } from "./dns-text.ts"
export { Embedder, EmbedderFailed } from "./embedder.ts"
export type { LogEntry } from "./log.ts"
export { type Mail, Mailer, MailFailed } from "./mailer.ts"
export {
  type CapturedBody,
  type CapturedHeaders,
  type McpExchange,
  McpFailed,
  McpServers,
  type McpServerInfo,
  type McpServerTool,
  type McpTarget
} from "./mcp-servers.ts"
export { Outbound, OutboundFailed, type OutboundRequest, type OutboundResponse } from "./outbound.ts"
export { Provisioner, ProvisionerFailed, type Runtime, type RuntimeSettings } from "./provisioner.ts"
export { RemoteContent, RemoteFailed, type RemotePlace, type RemoteTree } from "./remote-content.ts"
export {
  type MeetingWish,
  SuiteFailed,
  type SuiteOAuth,
  Suites,
  type SuiteSettings,
  type SuiteSignIn,
  type SuiteUser
} from "./suites.ts"
