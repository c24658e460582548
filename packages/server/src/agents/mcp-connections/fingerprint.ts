import type { DriftChange } from "@orgplane/schema/mcp-tools"
import type * as Schema from "effect/Schema"
import { sha256 } from "../../infra/crypto/digest.ts"
import type { McpServerTool } from "../../infra/ports/mcp-servers.ts"

/** What a connection leads to besides its tools; null of one that asks for no OAuth. */
export interface Identity {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly scopes: ReadonlyArray<string>
}

/** A tool with the digest of its description. */
export interface SeenTool {
  readonly name: string
  readonly digest: string
  readonly tool: McpServerTool
}

const byCodeUnits = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

/** One text for each JSON value: members in the order of their code units, so that the server's order says nothing. */
export const canonical = (value: Schema.Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([left], [right]) => byCodeUnits(left, right))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`
}

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

/** A server's tools as they are kept and compared, by name. */
export const seenTools = (tools: ReadonlyArray<McpServerTool>): ReadonlyArray<SeenTool> =>
  tools
    .map((tool) => ({ name: tool.name, digest: sha256(canonical(definitionOf(tool))), tool }))
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

/** SHA-256 of what a server is: whom it trusts, where, for what, and each of its tools by digest. */
export const fingerprintOf = (
  identity: Identity | null,
  tools: ReadonlyArray<Pick<SeenTool, "name" | "digest">>
): string =>
  sha256(
    canonical({
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

/** In what the way to a credential differs. */
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

/** Whether credentials would go somewhere else than to whom was accepted. */
export const leadsElsewhere = (before: Identity | null, after: Identity | null): boolean =>
  members.some((member) => (before?.[member] ?? null) !== (after?.[member] ?? null))

/** In what two descriptions of a tool differ. */
export const toolMembers = (before: McpServerTool, after: McpServerTool): ReadonlyArray<string> => {
  const [was, is] = [definitionOf(before), definitionOf(after)]
  return (["title", "description", "inputSchema", "hints"] as const).filter(
    (member) => canonical(was[member] ?? null) !== canonical(is[member] ?? null)
  )
}

/** What differs for one name, from the descriptions that are accepted and those that are there and not accepted. */
export const toolChange = (name: string, accepted: McpServerTool | null, fresh: McpServerTool | null): DriftChange => ({
  kind: fresh === null ? "tool_removed" : accepted === null ? "tool_added" : "tool_changed",
  name,
  members: accepted === null || fresh === null ? [] : [...toolMembers(accepted, fresh)],
  before: accepted === null ? null : definitionOf(accepted),
  after: fresh === null ? null : definitionOf(fresh)
})
