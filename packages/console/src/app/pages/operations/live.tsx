/**
 * Events as they happen. The stream is closed while the page is hidden or paused, and continues after the last event, so
 * that none is missing. Only the newest events are kept.
 */
import type { OrganizationEvent } from "@orgplane/client"
import { useEffect, useRef, useState } from "react"
import { client } from "../../api/client.ts"
import { Button, Empty, Failure } from "../../design/ui.tsx"
import { Actor, Name } from "../../objects/names.tsx"
import { AuditFilterBar, useAuditFilters } from "./audit-filters.tsx"
import { ChangeDialog, changeOf } from "./change.tsx"

/** Events that are kept; older ones are in the log. */
const keptMax = 500

const useVisible = () => {
  const [isVisible, setVisible] = useState(() => document.visibilityState === "visible")
  useEffect(() => {
    const change = () => setVisible(document.visibilityState === "visible")
    document.addEventListener("visibilitychange", change)
    return () => document.removeEventListener("visibilitychange", change)
  }, [])
  return isVisible
}

/** The number of the newest event, after which the stream starts. */
const newestSequence = async (signal: AbortSignal): Promise<number> => {
  const { items } = await client.events.list({ limit: 1 }, { signal })
  return items[0]?.sequence ?? 0
}

const useLiveEvents = (isPaused: boolean) => {
  const { action, actorId, targetId } = useAuditFilters()
  const isVisible = useVisible()
  const [events, setEvents] = useState<ReadonlyArray<OrganizationEvent>>([])
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  const position = useRef<number>(undefined)
  const isOpen = isVisible && !isPaused
  // They match the filters before.
  useEffect(() => setEvents([]), [action, actorId, targetId])
  useEffect(() => {
    if (!isOpen) return
    const controller = new AbortController()
    const { signal } = controller
    const follow = async () => {
      setError(undefined)
      position.current ??= await newestSequence(signal)
      const stream = client.events.stream(
        {
          ...(action === undefined ? {} : { types: action }),
          ...(actorId === undefined ? {} : { actorId }),
          ...(targetId === undefined ? {} : { objectId: targetId }),
          after: position.current
        },
        { signal }
      )
      for await (const event of stream) {
        if (signal.aborted) return
        position.current = Math.max(position.current, event.sequence)
        setEvents((current) => [event, ...current.filter(({ id }) => id !== event.id)].slice(0, keptMax))
      }
    }
    follow().catch((cause: unknown) => {
      if (!signal.aborted) setError(cause)
    })
    return () => controller.abort()
  }, [action, actorId, attempt, isOpen, targetId])
  return {
    events,
    error,
    isOpen: isOpen && error === undefined,
    clear: () => setEvents([]),
    retry: () => setAttempt((current) => current + 1)
  }
}

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })

export const Live = () => {
  const [isPaused, setPaused] = useState(false)
  const [opened, setOpened] = useState<OrganizationEvent>()
  const { clear, error, events, isOpen, retry } = useLiveEvents(isPaused)
  return (
    <div className="stack">
      <AuditFilterBar hasTimes={false} />
      <div className="row spread">
        <span
          className="live-state"
          data-state={isOpen ? "live" : error === undefined ? "paused" : "failed"}
          role="status"
        >
          {isOpen ? "Live" : error === undefined ? "Paused" : "Not connected"}
        </span>
        <div className="row">
          <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? "Resume" : "Pause"}
          </Button>
          <Button kind="quiet" disabled={events.length === 0} onClick={clear}>
            Clear
          </Button>
        </div>
      </div>
      {error !== undefined && <Failure error={error} retry={retry} />}
      <div className="live" tabIndex={0} role="region" aria-label="Live events">
        {events.length === 0 ? (
          <Empty title="No events yet">
            <p>New events appear here as they happen. Earlier ones are in the log.</p>
          </Empty>
        ) : (
          <ol className="live-rows">
            {events.map((event) => (
              <li key={event.id}>
                <time dateTime={event.createdAt} className="muted">
                  {clock.format(new Date(event.createdAt))}
                </time>
                <span>
                  <button type="button" className="link-button" onClick={() => setOpened(event)}>
                    <code>{event.type}</code>
                  </button>
                </span>
                <span>
                  <Actor id={event.actor.id} kind={event.actor.kind} name={event.actor.name} />
                </span>
                <span>{event.object !== null && <Name id={event.object.id} name={event.object.name} />}</span>
              </li>
            ))}
          </ol>
        )}
      </div>
      {events.length === keptMax && <p className="muted">The newest {keptMax} events are shown.</p>}
      <ChangeDialog
        change={opened === undefined ? undefined : changeOf(opened)}
        onClose={() => setOpened(undefined)}
        onHide={() => setOpened(undefined)}
      />
    </div>
  )
}
