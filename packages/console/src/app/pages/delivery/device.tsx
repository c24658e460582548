/** A device: what should run on it, and what does. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Counts, failureTexts, stateTones } from "./counts.tsx"
import { platforms } from "./fleet-filters.ts"
import { SimpleTable } from "../../design/simple-table.tsx"

const Digest = ({ digest, sha256 }: { readonly digest: string | null; readonly sha256: string | null }) => {
  const text = digest ?? sha256
  return text === null ? <span className="muted">nothing</span> : <code title={text}>{text.slice(0, 12)}</code>
}

export const Page = () => {
  const orgMembershipId = usePathParameter("orgMembershipId")
  const deviceId = usePathParameter("deviceId")
  const navigate = useNavigate()
  const [isRemoving, setRemoving] = useState(false)
  const query = useQuery({
    queryKey: ["delivery", "device", orgMembershipId, deviceId],
    queryFn: ({ signal }) => client.delivery.getDevice(orgMembershipId, deviceId, { signal }),
    refetchInterval: 15_000
  })
  return (
    <Shown query={query} lines={8}>
      {({
        agent,
        clientVersion,
        failure,
        firstSeenAt,
        installations,
        lastSeenAt,
        offline,
        platform,
        plugins,
        revision,
        wantedRevision,
        workerId
      }) => (
        <div className="stack">
          <PageHeader
            title={`${agent} on ${platforms.find(([value]) => value === platform)?.[1] ?? platform}`}
            actions={
              <Button permission="delivery:manage" kind="danger" onClick={() => setRemoving(true)}>
                Remove the device
              </Button>
            }
          />
          {failure !== null && (
            <Notice title="The device could not apply its desired state" tone="bad">
              <span>{failureTexts[failure]}</span>
            </Notice>
          )}
          <Section
            title="Device"
            actions={<Badge tone={offline ? "neutral" : "good"}>{offline ? "offline" : "online"}</Badge>}
          >
            <Facts
              rows={[
                [
                  "Member",
                  <Link key="member" to={`/fleet/members/${orgMembershipId}`}>
                    <Name kind="member" id={orgMembershipId} link={false} />
                  </Link>
                ],
                [
                  "Worker",
                  workerId === null ? null : (
                    <Link key="worker" to={`/workers/${workerId}`}>
                      Open the worker
                    </Link>
                  )
                ],
                ["Device", <code key="device">{deviceId}</code>],
                ["Version of the client", clientVersion],
                ["Applied state", revision === null ? "none yet" : `revision ${revision}`],
                ["Wanted state", wantedRevision === null ? "none issued yet" : `revision ${wantedRevision}`],
                ["First report", <Time key="first" at={firstSeenAt} />],
                ["Last report", <Time key="last" at={lastSeenAt} />]
              ]}
            />
          </Section>
          <Section title="Wanted and running">
            {plugins.length === 0 ? (
              <Empty title="Nothing is wanted or installed on this device" />
            ) : (
              <>
                <Counts counts={installations} />
                <SimpleTable
                  label="Plugins of the device"
                  columns={[
                    { name: "Plugin", cell: ({ name, pluginId }) => name ?? <code>{pluginId}</code> },
                    { name: "State", cell: ({ state }) => <Badge tone={stateTones[state]}>{state}</Badge> },
                    {
                      name: "Wanted",
                      cell: ({ wantedDigest, wantedSha256 }) => <Digest digest={wantedDigest} sha256={wantedSha256} />
                    },
                    {
                      name: "Installed",
                      cell: ({ installedDigest, installedSha256 }) => (
                        <Digest digest={installedDigest} sha256={installedSha256} />
                      )
                    },
                    { name: "Failure", cell: ({ failure: each }) => (each === null ? "" : failureTexts[each]) },
                    {
                      name: "Why",
                      cell: ({ name, pluginId }) => (
                        <Link
                          to={`/fleet/members/${orgMembershipId}`}
                          search={{ plugin: pluginId }}
                          aria-label={`Explain ${name ?? pluginId}`}
                        >
                          Explain
                        </Link>
                      )
                    }
                  ]}
                  rows={plugins}
                  idOf={({ pluginId }) => pluginId}
                />
              </>
            )}
          </Section>
          <Confirm
            title="Remove this device?"
            action="Remove the device"
            isOpen={isRemoving}
            onClose={() => setRemoving(false)}
            confirm={async () => {
              await client.delivery.removeDevice(orgMembershipId, deviceId)
              notify("The device was removed.")
              void navigate({ to: "/fleet", search: { tab: "devices" } })
              void reload(["delivery"])
            }}
          >
            <p>
              Its last report is deleted, and its {installations.wanted} installations are no longer counted. Nothing
              changes on the device itself: when it reports again, it is listed again.
            </p>
          </Confirm>
        </div>
      )}
    </Shown>
  )
}
