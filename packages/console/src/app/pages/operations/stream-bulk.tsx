/** Pauses, resumes or removes the event streams that are selected in the list, one after another. */
import type { OrganizationEventStream } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { BulkButton } from "../../design/bulk.tsx"
import { Impacts, impactsMax } from "../../design/impacts.tsx"
import { plural } from "../../design/text.ts"
import "./operations.css"

const namedMax = 8

type Streams = ReadonlyArray<OrganizationEventStream>

const lagOf = (streams: Streams) => streams.reduce((total, { lag }) => total + lag, 0)

const lagText = (lag: number): string =>
  lag === 0
    ? "The destination has every event so far."
    : `${plural(lag, "event that was", "events that were")} not delivered yet ${lag === 1 ? "is" : "are"} not sent.`

export const StreamsRemoval = ({ streams }: { readonly streams: Streams }) => {
  const isOne = streams.length === 1
  return (
    <ul>
      {streams.slice(0, namedMax).map(({ id, lag, name }) => (
        <li key={id} className="wrap">
          {!isOne && <strong>{name}: </strong>}
          {lagText(lag)}
        </li>
      ))}
      {streams.length > namedMax && (
        <li>
          {plural(streams.length - namedMax, "other stream")}: {plural(lagOf(streams.slice(namedMax)), "event")} not
          delivered yet.
        </li>
      )}
      <li>
        {isOne ? "Its position and its secret" : "Their positions and their secrets"} are deleted. A new stream starts
        where you choose.
      </li>
      <li>
        What the {isOne ? "destination has" : "destinations have"} received stays there, and can still be verified.
      </li>
    </ul>
  )
}

export const StreamsBulk = ({ clear, streams }: { readonly streams: Streams; readonly clear: () => void }) => {
  const change = {
    nouns: ["event stream", "event streams"],
    clear,
    nameOf: ({ name }: OrganizationEventStream) => name,
    changes: ["event-streams"]
  } as const
  const active = streams.filter(({ state }) => state === "active")
  return (
    <>
      <BulkButton
        {...change}
        action="Pause"
        done="paused"
        rows={active}
        work={({ id }) => client.eventStreams.pause(id)}
        consequences={<p>Events wait until {active.length === 1 ? "the stream is" : "the streams are"} resumed.</p>}
      />
      <BulkButton
        {...change}
        action="Resume"
        done="resumed"
        rows={streams.filter(({ state }) => state === "paused")}
        work={({ id }) => client.eventStreams.resume(id)}
      />
      <Allowed permission="eventStreams:manage">
        <BulkButton
          {...change}
          action="Remove"
          done="removed"
          isDangerous
          rows={streams}
          max={impactsMax}
          work={({ id }) => client.eventStreams.remove(id)}
          consequences={
            <Impacts
              name="event-streams"
              rows={streams}
              impactOf={({ id }, signal) => client.eventStreams.get(id, { signal })}
            >
              {(current) => <StreamsRemoval streams={current.map(([, stream]) => stream)} />}
            </Impacts>
          }
        />
      </Allowed>
    </>
  )
}
