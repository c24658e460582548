/** The accounts in which agents act for the person. */
import type { CapabilityConnection } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, PageHeader, Time } from "../../design/ui.tsx"
import { SuiteActions } from "./capability-connect.tsx"
import { connectionStates, suites } from "./suites.ts"
import "./tools.css"

const pollMillis = 3_000

const Suite = ({
  connection,
  onWaiting
}: {
  readonly connection: CapabilityConnection
  readonly onWaiting: (isWaiting: boolean) => void
}) => {
  const { configured, connectedAt, status, statusReason, suite } = connection
  const { allows, description, name, never } = suites[suite]
  const [tone, state] = connectionStates[status]
  return (
    <Section title={name} actions={<Badge tone={tone}>{state}</Badge>}>
      <p>{description}</p>
      <div>
        <strong>What agents can do</strong>
        <ul>
          {allows.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p>{never}</p>
      </div>
      {statusReason !== null && <p className="plain-text">{statusReason}</p>}
      {!configured && (
        <p className="muted">The operator of this installation has not registered an app with the suite yet.</p>
      )}
      {connectedAt !== null && (
        <p className="muted">
          Connected <Time at={connectedAt} />
        </p>
      )}
      <div className="row">
        <SuiteActions connection={connection} onWaiting={onWaiting} />
        <Link className="button" to={`/capabilities/${suite}`}>
          Details and try it
        </Link>
      </div>
    </Section>
  )
}

export const Page = () => {
  const [isWaiting, setWaiting] = useState(false)
  const query = useQuery({
    queryKey: ["capabilities"],
    queryFn: ({ signal }) => client.capabilities.listConnections({}, { signal }),
    refetchInterval: isWaiting ? pollMillis : false
  })
  return (
    <>
      <PageHeader
        title="Mail and calendar"
        description="Your own accounts, in which your agents act for you. Other members and API keys cannot use them."
      />
      <Shown query={query} lines={8}>
        {({ items }) => (
          <div className="columns">
            {items.map((connection) => (
              <Suite key={connection.suite} connection={connection} onWaiting={setWaiting} />
            ))}
          </div>
        )}
      </Shown>
    </>
  )
}
