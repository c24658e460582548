/** How an MCP server differs from what was approved, before and after side by side, and the decision. */
import type { Json, McpDriftChange, McpReview } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client, statusOf } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { TextDiff, ValueDiff } from "../../design/diff.tsx"
import { notify } from "../../design/toast.tsx"
import {
  Badge,
  Button,
  Empty,
  Failure,
  Notice,
  PageHeader,
  Loading,
  Skeleton,
  Time,
  type Tone
} from "../../design/ui.tsx"
import { usePathParameter } from "../../parameters.ts"
import "./tools.css"

const kinds: Readonly<Record<McpDriftChange["kind"], readonly [Tone, string]>> = {
  issuer: ["bad", "other authorization server"],
  authorization_endpoint: ["bad", "other sign-in page"],
  token_endpoint: ["bad", "other token endpoint"],
  scopes: ["warn", "other scopes"],
  tool_added: ["warn", "new tool"],
  tool_changed: ["warn", "changed tool"],
  tool_removed: ["neutral", "removed tool"]
}

const isElsewhere = ({ kind }: McpDriftChange) =>
  kind === "issuer" || kind === "authorization_endpoint" || kind === "token_endpoint"

const memberOf = (value: Json | null, name: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: Json })[name]
    : undefined

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2)

const partNames: Readonly<Record<string, string>> = {
  title: "Title",
  description: "Description",
  inputSchema: "Input schema",
  hints: "What the server states about it"
}
const parts = ["title", "description", "inputSchema", "hints"]

/** The parts of a tool that differ; all of them for a tool that is new or removed. */
const shownParts = ({ after, before, members }: McpDriftChange) =>
  members.length > 0
    ? members
    : parts.filter((part) => {
        const value = memberOf(after ?? before, part)
        return value !== undefined && value !== null
      })

const Change = ({ change }: { readonly change: McpDriftChange }) => {
  const { after, before, kind, name } = change
  const [tone, label] = kinds[kind]
  const isTool = name !== null
  const title = name ?? label.charAt(0).toUpperCase() + label.slice(1)
  return (
    <section className="card stack" aria-label={title}>
      <div className="change-head">
        <h2>{isTool ? <code>{name}</code> : title}</h2>
        <Badge tone={tone}>{label}</Badge>
      </div>
      {isTool ? (
        shownParts(change).map((part) => {
          const [one, other] = [memberOf(before, part), memberOf(after, part)]
          const about = `${partNames[part] ?? part} of ${name}`
          return (
            <div className="stack" key={part}>
              <strong>{partNames[part] ?? part}</strong>
              {part === "description" || part === "title" ? (
                <TextDiff before={textOf(one)} after={textOf(other)} label={about} />
              ) : (
                <ValueDiff before={one} after={other} label={about} />
              )}
            </div>
          )
        })
      ) : (
        <ValueDiff
          before={Array.isArray(before) ? before.join("\n") : before}
          after={Array.isArray(after) ? after.join("\n") : after}
          label={title}
        />
      )}
    </section>
  )
}

const count = (changes: ReadonlyArray<McpDriftChange>, kind: McpDriftChange["kind"]) =>
  changes.filter((change) => change.kind === kind).length

const tools = (number: number, words: string) =>
  number === 0 ? [] : [`${number === 1 ? "One tool" : `${number} tools`} ${words}`]

/** What happens if the changes are accepted. */
const consequences = (changes: ReadonlyArray<McpDriftChange>): ReadonlyArray<string> => [
  ...(changes.some(isElsewhere)
    ? [
        "All credentials of the connection are deleted, because they belong to the server that was approved before. Everyone connects again, at the new one."
      ]
    : []),
  ...tools(count(changes, "tool_added"), "can be called for the first time, where the tool policy allows it."),
  ...tools(count(changes, "tool_changed"), "can be called again, as it is now."),
  ...tools(count(changes, "tool_removed"), "is no longer part of the approved state."),
  ...(count(changes, "scopes") > 0 ? ["The next sign-in asks for the new scopes."] : [])
]

const Decision = ({ connectionId, review }: { readonly connectionId: string; readonly review: McpReview }) => {
  const [asked, setAsked] = useState<"accept" | "reject">()
  const navigate = useNavigate()
  const { changes, changesTruncated, fingerprint } = review
  const decide = async (decision: "accept" | "reject") => {
    try {
      await client.mcpConnections.decideReview(connectionId, { fingerprint, decision })
    } finally {
      void reload(["mcp-connections"])
    }
    notify(decision === "accept" ? "The changes were accepted." : "The changes were rejected. They stay blocked.")
    if (decision === "accept") await navigate({ to: `/mcp-connections/${connectionId}`, search: { tab: "tools" } })
  }
  return (
    <>
      <Button
        permission="mcpConnections:write"
        onClick={() => setAsked("reject")}
        disabled={review.decision === "reject"}
      >
        Reject the changes
      </Button>
      <Button permission="mcpConnections:write" kind="primary" onClick={() => setAsked("accept")}>
        Accept the changes
      </Button>
      <Confirm
        title={asked === "accept" ? "Accept the changes" : "Reject the changes"}
        action={asked === "accept" ? "Accept the changes" : "Reject the changes"}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        confirm={() => (asked === undefined ? Promise.resolve() : decide(asked))}
      >
        {asked === "accept" ? (
          <>
            <ul>
              {consequences(changes).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
            {changesTruncated && <p>There are more changes than are shown here. All of them are accepted.</p>}
            <p className="muted">
              The decision is for exactly the state that is shown. If the server has changed since, it is refused.
            </p>
          </>
        ) : (
          <>
            <p>New and changed tools stay blocked. Tools that did not change can be called as before.</p>
            {changes.some(isElsewhere) && <p>The connection as a whole stays blocked.</p>}
            <p className="muted">You can accept the changes later.</p>
          </>
        )}
      </Confirm>
    </>
  )
}

export const Page = () => {
  const connectionId = usePathParameter("connectionId")
  const connection = useQuery({
    queryKey: ["mcp-connections", connectionId],
    queryFn: ({ signal }) => client.mcpConnections.get(connectionId, { signal })
  })
  const review = useQuery({
    queryKey: ["mcp-connections", connectionId, "review"],
    queryFn: ({ signal }) => client.mcpConnections.getReview(connectionId, { signal })
  })
  const name = connection.data?.name ?? "the MCP server"
  const back = (
    <Link className="plain-text" to={`/mcp-connections/${connectionId}`}>
      Back to {name}
    </Link>
  )
  if (review.isPending) {
    return (
      <Loading>
        <Skeleton width="40%" height={24} />
        <Skeleton height={160} />
      </Loading>
    )
  }
  if (review.isError) {
    return (
      <>
        <PageHeader title={`Review of ${name}`} />
        {statusOf(review.error) === 404 && connection.data !== undefined ? (
          <Empty title="There is nothing to review">
            <p>The server matches its approved state.</p>
            {back}
          </Empty>
        ) : (
          <Failure error={review.error} retry={() => void review.refetch()} />
        )}
      </>
    )
  }
  const { changes, changesTruncated, decision, detectedAt } = review.data
  return (
    <>
      <PageHeader
        title={`Review of ${name}`}
        description="How the server differs from what was approved. Descriptions and schemas are read by agents: a change of them can change what agents do."
        actions={<Decision connectionId={connectionId} review={review.data} />}
      />
      <div className="stack">
        <div className="row">
          {back}
          <span className="muted">
            First seen <Time at={detectedAt} />
          </span>
        </div>
        {decision === "reject" && (
          <Notice title="These changes were rejected, and are blocked">
            <span>You can still accept them.</span>
          </Notice>
        )}
        {changes.some(isElsewhere) && (
          <Notice title="The sign-in leads to a different server than before" tone="bad">
            <span>
              If you do not know why, ask the operator of the server. The new address would receive your credentials.
            </span>
          </Notice>
        )}
        {changes.map((change) => (
          <Change key={`${change.kind} ${change.name ?? ""}`} change={change} />
        ))}
        {changesTruncated && <p className="muted">There are more changes than the 500 that are shown.</p>}
      </div>
    </>
  )
}
