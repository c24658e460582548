/** The tools of an MCP connection, and which of them may be called. */
import type { McpConnection, McpTool, McpToolDecision, McpToolPolicy } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useDeferredValue, useState } from "react"
import { client, queries } from "../../api/client.ts"
import { ActionButton } from "../../design/action.tsx"
import { useAllows } from "../../design/allowed.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { firstNames } from "../../design/text.ts"
import { Badge, Button, Empty, Notice, SearchInput, type Tone } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { allTools, toolsMax } from "./all-tools.ts"
import { Hints } from "./connection-states.tsx"
import { ServerFailure } from "./diagnosis.tsx"
import { changed, decisionOf, isRule, type Mode, modes, ruleOf, rules, useToolPolicy } from "./policy.ts"

const decisions: Readonly<Record<McpToolDecision, readonly [Tone, string]>> = {
  allowed: ["good", "can be called"],
  denied: ["neutral", "denied"],
  review_required: ["warn", "waits for review"]
}
const isDecision = (value: string | undefined): value is McpToolDecision =>
  value !== undefined && Object.hasOwn(decisions, value)

/** Which tools another rule would allow and deny. */
const ModeChange = ({
  mode,
  policy,
  tools
}: {
  readonly mode: Mode
  readonly policy: McpToolPolicy
  readonly tools: ReadonlyArray<McpTool>
}) => {
  const next = changed(policy, { mode })
  const moved = (from: boolean) =>
    tools.filter(
      (tool) => (decisionOf(policy, tool) !== "denied") === from && (decisionOf(next, tool) !== "denied") === !from
    )
  const [denied, allowed] = [moved(true), moved(false)]
  const names = (list: ReadonlyArray<McpTool>) =>
    firstNames(
      list.map(({ name }) => name),
      10
    )
  return (
    <>
      {allowed.length > 0 && (
        <p className="plain-text">
          <strong>{allowed.length} more can be called:</strong> {names(allowed)}
        </p>
      )}
      {denied.length > 0 && (
        <p className="plain-text">
          <strong>{denied.length} can no longer be called:</strong> {names(denied)}
        </p>
      )}
      {allowed.length + denied.length === 0 && <p>No tool that the server has now is affected.</p>}
      <p className="muted">It also applies to tools that the server adds later. Exceptions for tools stay.</p>
    </>
  )
}

const policyAllowance = { permission: "mcpConnections:write", access: "manager" } as const

const ModeChoice = ({
  canChange,
  onChange,
  policy,
  tools
}: {
  readonly policy: McpToolPolicy
  readonly tools: ReadonlyArray<McpTool>
  readonly canChange: boolean
  readonly onChange: (mode: Mode) => Promise<void>
}) => {
  const [asked, setAsked] = useState<Mode>()
  return (
    <Section title="Rule for all tools">
      <div className="choice-list" role="radiogroup" aria-label="Rule for all tools">
        {modes.map(([mode, name, about]) => (
          <label key={mode} className="choice">
            <input
              type="radio"
              name="mode"
              disabled={!canChange}
              checked={policy.mode === mode}
              onChange={() => setAsked(mode)}
            />
            <span>
              {name} <span className="muted">{about}</span>
            </span>
          </label>
        ))}
      </div>
      <Confirm
        title={modes.find(([mode]) => mode === asked)?.[1] ?? ""}
        action="Change the rule"
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        confirm={() => {
          // The dialog closes at once. If the change fails, the rule goes back and a message says so.
          if (asked !== undefined) void onChange(asked)
          return Promise.resolve()
        }}
      >
        {asked !== undefined && <ModeChange mode={asked} policy={policy} tools={tools} />}
      </Confirm>
    </Section>
  )
}

const Tools = ({
  connection,
  tools
}: {
  readonly connection: McpConnection
  readonly tools: ReadonlyArray<McpTool>
}) => {
  const { id } = connection
  const { change, policy, query, refused } = useToolPolicy(id)
  const { decision, q = "" } = useParameters()
  const set = useSetParameters()
  const navigate = useNavigate()
  const [text, setText] = useState(q)
  const search = useDeferredValue(text.trim().toLowerCase())
  const canChange = useAllows()(policyAllowance) === true
  const filter = isDecision(decision) ? decision : undefined

  const columns = (current: McpToolPolicy): ReadonlyArray<Column<McpTool>> => [
    {
      name: "Tool",
      width: "minmax(0, 2fr)",
      cell: ({ name, title }) => (
        <span title={`${name}${title === null ? "" : ` – ${title}`}`}>
          <code>{name}</code> <span className="muted">{title ?? ""}</span>
        </span>
      ),
      sort: ({ name }) => name
    },
    { name: "Hints of the server", width: "minmax(0, 1.5fr)", wide: true, cell: (tool) => <Hints tool={tool} /> },
    {
      name: "State",
      width: "130px",
      wide: true,
      cell: (tool) => {
        const [tone, name] = decisions[decisionOf(current, tool)]
        return <Badge tone={tone}>{name}</Badge>
      },
      sort: (tool) => decisions[decisionOf(current, tool)][1]
    },
    {
      name: "Policy",
      width: "130px",
      cell: ({ name }) => (
        <span className="row" onClick={(event) => event.stopPropagation()}>
          <select
            className="input rule-select"
            aria-label={`Policy for ${name}`}
            disabled={!canChange}
            title={canChange ? undefined : "Only a manager of the connection can change it."}
            value={ruleOf(current, name)}
            onChange={({ target }) => {
              if (isRule(target.value)) {
                void change({ names: [name], rule: target.value }, `The policy of ${name}`)
              }
            }}
          >
            {rules.map(([rule, label]) => (
              <option key={rule} value={rule}>
                {label}
              </option>
            ))}
          </select>
        </span>
      ),
      sort: ({ name }) => ruleOf(current, name)
    },
    ...(refused.size === 0
      ? []
      : [
          {
            name: "Last change",
            width: "110px",
            cell: ({ name }: McpTool) => (refused.has(name) ? <Badge tone="bad">not changed</Badge> : "")
          }
        ])
  ]
  return (
    <Shown query={query}>
      {(stored) => {
        const current = policy ?? stored
        return (
          <div className="stack">
            <ModeChoice
              canChange={canChange}
              policy={current}
              tools={tools}
              onChange={(mode) => change({ mode }, "The rule for all tools")}
            />
            <div className="row" role="search">
              <SearchInput
                label="Search tools"
                value={text}
                onChange={(next) => {
                  setText(next)
                  set({ q: next === "" ? undefined : next })
                }}
              />
              <select
                className="input filter"
                aria-label="State"
                value={filter ?? ""}
                onChange={({ target }) => set({ decision: target.value === "" ? undefined : target.value })}
              >
                <option value="">State: all</option>
                {Object.entries(decisions).map(([value, [, name]]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
              <ActionButton
                done="The tools were read."
                changes={["mcp-connections"]}
                work={() => client.mcpConnections.listTools(id, { limit: 1, refresh: true })}
              >
                Read the tools again
              </ActionButton>
            </div>
            <DataTable
              label="Tools"
              columns={columns(current)}
              queryKey={["mcp-connections", id, "tools", search, filter]}
              load={async () => {
                const all = await queries.fetchQuery(allTools(id))
                return {
                  items: all.filter(
                    (tool) =>
                      `${tool.name} ${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase().includes(search) &&
                      (filter === undefined || tool.decision === filter)
                  ),
                  nextCursor: null
                }
              }}
              idOf={({ name }) => name}
              open={({ name }) => void navigate({ to: `/mcp-connections/${id}/try`, search: { tool: name } })}
              bulk={(rows, clear) =>
                rules.map(([rule, label]) => (
                  <Button
                    disabled={!canChange}
                    key={rule}
                    onClick={() => {
                      void change({ names: rows.map(({ name }) => name), rule }, `The policy of ${rows.length} tools`)
                      clear()
                    }}
                  >
                    {label}
                  </Button>
                ))
              }
              empty={
                tools.length === 0 ? (
                  <Empty title="The server has no tools for you" />
                ) : (
                  <Empty title="Nothing matches">
                    <Button
                      onClick={() => {
                        setText("")
                        set({ q: undefined, decision: undefined })
                      }}
                    >
                      Show all
                    </Button>
                  </Empty>
                )
              }
            />
            {tools.length === toolsMax && <p className="muted">The first {toolsMax} tools are shown.</p>}
          </div>
        )
      }}
    </Shown>
  )
}

export const ConnectionTools = ({ connection }: { readonly connection: McpConnection }) => {
  const { id, status } = connection
  const tools = useQuery(allTools(id))
  if (tools.isError && tools.data === undefined) {
    return (
      <div className="stack">
        <ServerFailure error={tools.error} retry={() => void tools.refetch()} />
        {status !== "ready" && (
          <p>
            The tools are read with a credential.{" "}
            <Link to={`/mcp-connections/${id}`} search={{ tab: "overview" }}>
              Connect first
            </Link>
            .
          </p>
        )}
      </div>
    )
  }
  return (
    <div className="stack">
      {status === "review_required" && (
        <Notice title="The server differs from what was approved" tone="warn">
          <Link to={`/mcp-connections/${id}/review`}>Review the changes</Link>
        </Notice>
      )}
      <Shown query={tools} lines={8}>
        {(list) => <Tools connection={connection} tools={list} />}
      </Shown>
    </div>
  )
}
