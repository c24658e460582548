/** The most recent changes, for those who can read the audit log. */
import type { AuditEvent } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { Section } from "../../design/facts.tsx"
import { Time } from "../../design/ui.tsx"
import { Actor, Name } from "../../objects/names.tsx"

const shownMax = 8

export const RecentChanges = ({ changes }: { readonly changes: ReadonlyArray<AuditEvent> }) => (
  <Section title="Recent changes" actions={<Link to="/audit">All changes</Link>}>
    {changes.length === 0 ? (
      <p className="muted">There are no changes yet.</p>
    ) : (
      <ul className="recent">
        {changes.slice(0, shownMax).map(({ action, actorId, actorKind, createdAt, id, targetId }) => (
          <li key={id}>
            <span>
              <code>{action}</code> {targetId !== null && <Name id={targetId} />}
            </span>
            <small className="muted">
              <Actor id={actorId} kind={actorKind} />, <Time at={createdAt} />
            </small>
          </li>
        ))}
      </ul>
    )}
  </Section>
)
