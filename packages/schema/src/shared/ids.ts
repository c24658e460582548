import * as Schema from "effect/Schema"

/**
 * Every identifier prefix and the resource it identifies. The first block is from the specification. A TypeID is
 * `<prefix>_` and 26 characters of Crockford base32, which encode a UUIDv7, so identifiers sort by creation time.
 */
export const prefixes = {
  ctg: "connector target",
  cin: "connector instance",
  cmp: "connector mapping",
  plg: "plugin",
  mkt: "marketplace",
  cob: "config object",
  coa: "config object access grant",
  mag: "marketplace access grant",
  dpo: "desktop policy",
  emc: "external MCP connection",
  om: "organization membership",
  tem: "team",

  org: "organization",
  usr: "user",
  ses: "session",
  inv: "invitation",
  rol: "role",
  key: "API key",
  cac: "connector account",
  cse: "connector sync event",
  cov: "config object version",
  pco: "plugin to config object membership",
  rel: "plugin release",
  rlo: "rollout",
  asg: "assignment",
  mkp: "marketplace to plugin membership",
  mkl: "marketplace link",
  cia: "connector instance access grant",
  pag: "plugin access grant",
  emg: "MCP connection access grant",
  lla: "LLM provider access grant",
  mem: "memory",
  wrk: "worker",
  wki: "worker instance",
  wkt: "worker token",
  wka: "worker activity",
  sso: "SSO connection",
  dom: "domain",
  ssi: "SSO sign-in",
  scd: "SCIM directory",
  sct: "SCIM token",
  scu: "SCIM user",
  sch: "SCIM hold",
  scl: "SCIM log entry",
  llm: "LLM provider",
  tpl: "template",
  tpv: "template version",
  aud: "audit event",
  dlv: "webhook delivery",
  whe: "webhook endpoint",
  whm: "webhook message",
  evs: "event stream",
  cfr: "configuration run",
  req: "request"
} as const

export type Prefix = keyof typeof prefixes

/** An identifier whose prefix the compiler knows: `cin_01h455vb4pex5vsknk084sn02q`. */
export type Id<P extends Prefix = Prefix> = `${P}_${string}`

const withArticle = (noun: string) => `${/^([aeio]|LLM|MCP|SSO|API)/u.test(noun) ? "an" : "a"} ${noun}`

const title = (text: string) => text.replace(/(^|\s)(\w)/g, (_, __, character: string) => character.toUpperCase())

/** The schema of identifiers with one prefix: 30 characters long, 29 for `om`. */
export const TypeId = <P extends Prefix>(prefix: P): Schema.Codec<Id<P>, string> =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {
      message: `must be ${withArticle(prefixes[prefix])} id: ${prefix}_ and 26 characters of base32`
    })
  ).annotate({
    identifier: `${title(prefixes[prefix]).replace(/\s/g, "")}Id`,
    description: `The id of the ${prefixes[prefix]}.`
    // A template literal type includes the prefix; the string schema checks it with a pattern.
  }) as unknown as Schema.Codec<Id<P>, string>

export const ConnectorTargetId = TypeId("ctg")
export const ConnectorInstanceId = TypeId("cin")
export const ConnectorMappingId = TypeId("cmp")
export const ConnectorAccountId = TypeId("cac")
export const ConnectorSyncEventId = TypeId("cse")
export const PluginId = TypeId("plg")
export const PluginReleaseId = TypeId("rel")
export const RolloutId = TypeId("rlo")
export const AssignmentId = TypeId("asg")
export const PluginMembershipId = TypeId("pco")
export const MarketplaceId = TypeId("mkt")
export const MarketplaceMembershipId = TypeId("mkp")
export const MarketplaceLinkId = TypeId("mkl")
export const ConfigObjectId = TypeId("cob")
export const ConfigObjectVersionId = TypeId("cov")
export const OrgMembershipId = TypeId("om")
export const TeamId = TypeId("tem")
export const OrganizationId = TypeId("org")
export const UserId = TypeId("usr")
export const SessionId = TypeId("ses")
export const InvitationId = TypeId("inv")
export const RoleId = TypeId("rol")
export const ApiKeyId = TypeId("key")
export const AuditEventId = TypeId("aud")
export const McpConnectionId = TypeId("emc")
export const WebhookDeliveryId = TypeId("dlv")
export const WebhookEndpointId = TypeId("whe")
export const WebhookMessageId = TypeId("whm")
export const EventStreamId = TypeId("evs")
export const ConfigurationRunId = TypeId("cfr")
export const DesktopPolicyId = TypeId("dpo")
export const MemoryId = TypeId("mem")
export const WorkerId = TypeId("wrk")
export const WorkerInstanceId = TypeId("wki")
export const WorkerTokenId = TypeId("wkt")
export const WorkerActivityId = TypeId("wka")
export const LlmProviderId = TypeId("llm")
export const LlmProviderGrantId = TypeId("lla")
export const TemplateId = TypeId("tpl")
export const TemplateVersionId = TypeId("tpv")
export const SsoConnectionId = TypeId("sso")
export const DomainId = TypeId("dom")
export const ScimDirectoryId = TypeId("scd")
export const ScimTokenId = TypeId("sct")
export const ScimUserId = TypeId("scu")
export const ScimHoldId = TypeId("sch")
export const ScimLogEntryId = TypeId("scl")
