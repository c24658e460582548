/** What waits for a decision, what fails, and what expires soon, with the page that decides or mends it. */
import type { AttentionCount, AttentionItem, AttentionSeverity } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Time, type Tone } from "../../design/ui.tsx"
import { attentionKinds } from "./attention-kinds.ts"
import "./home.css"

const pageMax = 100
/** Items of a severity that are shown before the person asks for all. */
const shownMax = 8
const refreshMilliseconds = 30_000

const severities: ReadonlyArray<readonly [AttentionSeverity, string, Tone]> = [
  ["decision", "Waits for a decision", "warn"],
  ["failing", "Does not work", "bad"],
  ["expiring", "Expires soon", "neutral"]
]

const Item = ({ item }: { readonly item: AttentionItem }) => {
  const { action, says, target } = attentionKinds[item.kind]
  const { search, to } = target(item)
  const { detail, expiresAt, object, since } = item
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  return (
    <li className="attention-item">
      <div className="attention-text">
        <strong>{object.name}</strong>
        <span>{says}</span>
        {detail !== null && <span className="muted">{detail}</span>}
        <small className="muted">
          {expiresAt === null ? (
            <>
              Since <Time at={since} />
            </>
          ) : (
            <>
              {isExpired ? "Expired" : "Expires"} <Time at={expiresAt} />
            </>
          )}
        </small>
      </div>
      <Link
        className="button"
        to={to}
        {...(search === undefined ? {} : { search })}
        aria-label={`${action}: ${object.name}`}
      >
        {action}
      </Link>
    </li>
  )
}

/** The number of items of a severity, such as `103+` if there are more than are counted. */
const countText = (counts: ReadonlyArray<AttentionCount>, severity: AttentionSeverity): string => {
  const counted = counts.filter((each) => each.severity === severity)
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  return `${total}${counted.some(({ truncated }) => truncated) ? "+" : ""}`
}

const Items = ({
  count,
  items,
  title,
  tone
}: {
  readonly title: string
  readonly tone: Tone
  readonly count: string
  readonly items: ReadonlyArray<AttentionItem>
}) => {
  const rows = (shown: ReadonlyArray<AttentionItem>) => (
    <ul className="attention-list">
      {shown.map((item) => (
        <Item key={`${item.kind} ${item.object.id}`} item={item} />
      ))}
    </ul>
  )
  return (
    <Section title={title} actions={<Badge tone={tone}>{count}</Badge>}>
      {rows(items.slice(0, shownMax))}
      {items.length > shownMax && (
        <details>
          <summary>Show {items.length - shownMax} more</summary>
          {rows(items.slice(shownMax))}
        </details>
      )}
    </Section>
  )
}

export const useAttention = () =>
  useQuery({
    queryKey: ["attention"],
    queryFn: ({ signal }) => client.attention.list({ limit: pageMax }, { signal }),
    refetchInterval: refreshMilliseconds
  })

export const Attention = () => {
  const query = useAttention()
  return (
    <div className="attention">
      <Shown query={query} lines={4}>
        {({ counts, items, nextCursor }) =>
          items.length === 0 ? (
            <p className="card">
              <Badge tone="good">all done</Badge> Nothing waits for your decision, fails or expires soon.
            </p>
          ) : (
            <div className="stack">
              {severities.map(([severity, title, tone]) => {
                const shown = items.filter((item) => item.severity === severity)
                const count = countText(counts, severity)
                return shown.length === 0 ? null : (
                  <Items key={severity} title={title} tone={tone} count={count} items={shown} />
                )
              })}
              {nextCursor !== null && <p className="muted">The first {pageMax} are shown.</p>}
            </div>
          )
        }
      </Shown>
    </div>
  )
}
