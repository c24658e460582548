import type { DriftChange } from "@orgplane/schema/mcp-tools"
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { McpServerTool } from "../../infra/ports/mcp-servers.ts"

/** The authorization server of a connection; null without OAuth. */
export interface Identity {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly scopes: ReadonlyArray<string>
}

/** A tool with the digest of its description. */
export interface ObservedTool {
  readonly name: string
  readonly digest: string
  readonly tool: McpServerTool
}

const byCodeUnits = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

const hintsOf = (tool: McpServerTool) => ({
  readOnlyHint: tool.readOnlyHint,
  destructiveHint: tool.destructiveHint,
  idempotentHint: tool.idempotentHint,
  openWorldHint: tool.openWorldHint
})

const definitionOf = (tool: McpServerTool): Schema.JsonObject => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  hints: hintsOf(tool)
})

/** A server's tools in the form in which they are stored and compared, by name. */
export const observedTools = (tools: ReadonlyArray<McpServerTool>): ReadonlyArray<ObservedTool> =>
  tools
    .map((tool) => ({ name: tool.name, digest: sha256(canonicalJson(definitionOf(tool))), tool }))
    .toSorted((left, right) => byCodeUnits(left.name, right.name))

const identityJson = (identity: Identity | null): Schema.Json =>
  identity === null
    ? null
    : {
        issuer: identity.issuer,
        authorizationEndpoint: identity.authorizationEndpoint,
        tokenEndpoint: identity.tokenEndpoint,
        scopes: [...new Set(identity.scopes)].toSorted(byCodeUnits)
      }

/** The SHA-256 fingerprint of a server: its authorization server, endpoints, scopes, and the digest of each tool. */
export const fingerprintOf = (
  identity: Identity | null,
  tools: ReadonlyArray<Pick<ObservedTool, "name" | "digest">>
): string =>
  sha256(
    canonicalJson({
      authorization: identityJson(identity),
      tools: tools
        .map(({ digest, name }) => [name, digest])
        .toSorted((left, right) => byCodeUnits(left.join("\n"), right.join("\n")))
    })
  )

const members = ["issuer", "authorizationEndpoint", "tokenEndpoint"] as const
const kinds = {
  issuer: "issuer",
  authorizationEndpoint: "authorization_endpoint",
  tokenEndpoint: "token_endpoint"
} as const

const scopesOf = (identity: Identity | null) =>
  identity === null ? [] : [...new Set(identity.scopes)].toSorted(byCodeUnits)

/** The differences between two server identities. */
export const identityChanges = (before: Identity | null, after: Identity | null): ReadonlyArray<DriftChange> => {
  const changes: Array<DriftChange> = []
  for (const member of members) {
    const [was, is] = [before?.[member] ?? null, after?.[member] ?? null]
    if (was !== is) changes.push({ kind: kinds[member], name: null, members: [], before: was, after: is })
  }
  const [was, is] = [scopesOf(before), scopesOf(after)]
  if (was.join(" ") !== is.join(" ")) {
    changes.push({ kind: "scopes", name: null, members: [], before: was, after: is })
  }
  return changes
}

/** Whether credentials would be sent to a server other than the accepted one. */
export const leadsElsewhere = (before: Identity | null, after: Identity | null): boolean =>
  members.some((member) => (before?.[member] ?? null) !== (after?.[member] ?? null))

/** The members in which two descriptions of a tool differ. */
export const toolMembers = (before: McpServerTool, after: McpServerTool): ReadonlyArray<string> => {
  const [was, is] = [definitionOf(before), definitionOf(after)]
  return (["title", "description", "inputSchema", "hints"] as const).filter(
    (member) => canonicalJson(was[member] ?? null) !== canonicalJson(is[member] ?? null)
  )
}

/** How a tool's observed description differs from its accepted one. */
export const toolChange = (
  name: string,
  accepted: McpServerTool | null,
  observed: McpServerTool | null
): DriftChange => ({
  kind: observed === null ? "tool_removed" : accepted === null ? "tool_added" : "tool_changed",
  name,
  members: accepted === null || observed === null ? [] : [...toolMembers(accepted, observed)],
  before: accepted === null ? null : definitionOf(accepted),
  after: observed === null ? null : definitionOf(observed)
})
