/** The tool policy of an MCP connection: a rule for all tools, and exceptions by name. */
import type { McpTool, McpToolDecision, McpToolPolicy } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { client, queries } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { notify } from "../../design/toast.tsx"

/** An exception for a tool; `mode` means that there is none. */
export type Rule = "mode" | "allow" | "deny"
export const rules: ReadonlyArray<readonly [Rule, string]> = [
  ["mode", "By the rule"],
  ["allow", "Allow"],
  ["deny", "Deny"]
]
export const isRule = (value: string): value is Rule => rules.some(([rule]) => rule === value)

export type Mode = McpToolPolicy["mode"]
export const modes: ReadonlyArray<readonly [Mode, name: string, about: string]> = [
  ["all", "Allow all tools", "Denied tools are exceptions."],
  ["read_only", "Allow tools that only read", "The server declares which ones do. It is not verified."],
  ["listed", "Allow no tools", "Allowed tools are exceptions."]
]

export const ruleOf = ({ allowed, denied }: McpToolPolicy, name: string): Rule =>
  denied.includes(name) ? "deny" : allowed.includes(name) ? "allow" : "mode"

export const isAllowed = (policy: McpToolPolicy, tool: Pick<McpTool, "name" | "readOnlyHint">): boolean => {
  const rule = ruleOf(policy, tool.name)
  if (rule !== "mode") return rule === "allow"
  return policy.mode === "all" || (policy.mode === "read_only" && tool.readOnlyHint)
}

/** Whether a tool can be called under a policy that may not be stored yet. */
export const decisionOf = (policy: McpToolPolicy, tool: McpTool): McpToolDecision => {
  if (!isAllowed(policy, tool)) return "denied"
  return tool.decision === "denied" ? "allowed" : tool.decision
}

export interface PolicyChange {
  readonly mode?: Mode
  readonly names?: ReadonlyArray<string>
  readonly rule?: Rule
}

export const changed = (policy: McpToolPolicy, { mode, names = [], rule = "mode" }: PolicyChange): McpToolPolicy => {
  const others = (list: ReadonlyArray<string>) => list.filter((name) => !names.includes(name))
  const { allowed, denied } = policy
  return {
    mode: mode ?? policy.mode,
    allowed: names.length === 0 ? allowed : [...others(allowed), ...(rule === "allow" ? names : [])],
    denied: names.length === 0 ? denied : [...others(denied), ...(rule === "deny" ? names : [])]
  }
}

interface Pending {
  readonly id: number
  readonly change: PolicyChange
}

/**
 * The policy with the changes that are not stored yet. Changes are sent one after another, each on top of the policy that
 * is stored then, so that one that fails takes no other with it.
 */
export const useToolPolicy = (connectionId: string) => {
  const queryKey = ["mcp-connections", connectionId, "policy"]
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.mcpConnections.getToolPolicy(connectionId, { signal })
  })
  const [pending, setPending] = useState<ReadonlyArray<Pending>>([])
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set())
  const queue = useRef<Promise<void>>(Promise.resolve())
  const lastId = useRef(0)

  const send = async ({ change, id }: Pending, what: string) => {
    const names = change.names ?? []
    try {
      const stored = await client.mcpConnections.getToolPolicy(connectionId)
      const next = await client.mcpConnections.setToolPolicy(connectionId, changed(stored, change))
      queries.setQueryData(queryKey, next)
    } catch (error) {
      setRefused((before) => new Set([...before, ...names]))
      notify(`${what} was not changed.`, "bad", error)
    }
    setPending((before) => before.filter((each) => each.id !== id))
    void reload(["mcp-connections"])
  }
  const change = (next: PolicyChange, what: string): Promise<void> => {
    const entry = { id: ++lastId.current, change: next }
    setPending((before) => [...before, entry])
    setRefused((before) => new Set([...before].filter((name) => next.names?.includes(name) !== true)))
    queue.current = queue.current.then(() => send(entry, what))
    return queue.current
  }
  const policy =
    query.data === undefined ? undefined : pending.reduce((before, each) => changed(before, each.change), query.data)
  return { query, policy, refused, isSaving: pending.length > 0, change }
}
