/** A rollout, live: its rings, where the release is installed, the comparisons, and what can be done. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Counts } from "./counts.tsx"
import { Actions } from "./rollout-actions.tsx"
import { Comparison, isOpenState, pauseTexts, Rings, StateBadge, Steps } from "./rollout-parts.tsx"

const interval = 5000

export const Page = () => {
  const id = usePathParameter("rolloutId")
  const query = useQuery({
    queryKey: ["rollouts", id],
    queryFn: ({ signal }) => client.rollouts.get(id, { signal }),
    refetchInterval: ({ state: { data } }) => (data === undefined || isOpenState(data.state) ? interval : false)
  })
  const rollout = query.data
  const isOpen = rollout !== undefined && isOpenState(rollout.state)
  const { digest, pluginId, releaseId } = rollout ?? {}
  const preview = useQuery({
    queryKey: ["rollouts", id, "preview"],
    queryFn: ({ signal }) => client.rollouts.preview({ releaseId: releaseId ?? "" }, { signal }),
    enabled: isOpen
  })
  const status = useQuery({
    queryKey: ["delivery", "status", pluginId, digest],
    queryFn: ({ signal }) => client.delivery.status({ pluginId, ...(digest === null ? {} : { digest }) }, { signal }),
    enabled: rollout !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isOpen ? 2 * interval : false
  })
  return (
    <Shown query={query} lines={8}>
      {(value) => {
        const { comment, emergency, installations, pauseReason, pluginName, releaseNumber, state, usage, version } =
          value
        return (
          <div className="stack">
            <PageHeader
              title={`${pluginName} ${version ?? `release ${releaseNumber}`}`}
              actions={<Actions rollout={value} preview={preview.data} status={status.data} />}
            />
            {state === "paused" && (
              <Notice title="The rollout is paused" tone="warn">
                <span>{pauseReason === null ? "" : pauseTexts[pauseReason]}</span>
                {comment !== null && <span>{comment}</span>}
              </Notice>
            )}
            {emergency && (
              <Notice title="Released to everyone at once" tone="warn">
                {comment !== null && <span>{comment}</span>}
              </Notice>
            )}
            <Section title="Rings" actions={<StateBadge state={state} />}>
              <Rings rollout={value} preview={preview.data} />
              {preview.data !== undefined && (
                <p className="muted">
                  {`${preview.data.pinnedCount} members keep a pinned release, ${preview.data.blockedCount} are blocked, and ${preview.data.withoutAccessCount} cannot see the plugin.`}
                  {" The numbers follow the rings that are defined now."}
                </p>
              )}
            </Section>
            <Section
              title="On devices"
              actions={
                <Link
                  to="/fleet"
                  search={{
                    tab: "devices",
                    plugin: value.pluginId,
                    ...(value.digest === null ? {} : { digest: value.digest })
                  }}
                >
                  Show the devices
                </Link>
              }
            >
              <Shown query={status} lines={2}>
                {({ devices, generatedAt, installations: counts }) =>
                  counts.wanted === 0 ? (
                    <p className="muted">
                      {devices.total === 0
                        ? "No device has reported yet."
                        : "No device has this release in its desired state."}
                    </p>
                  ) : (
                    <>
                      <Counts counts={counts} />
                      <p className="muted">
                        As of <Time at={generatedAt} />
                      </p>
                    </>
                  )
                }
              </Shown>
            </Section>
            {(installations !== null || usage !== null) && (
              <Section title="Compared with the previous release">
                <div className="cards">
                  {installations !== null && <Comparison title="Installations" comparison={installations} />}
                  {usage !== null && <Comparison title="Usage" comparison={usage} />}
                </div>
              </Section>
            )}
            <Section title="Steps">
              <Steps steps={value.steps} />
            </Section>
            <Section title="About">
              <Facts
                rows={[
                  ["Plugin", <Name key="plugin" kind="plugin" id={value.pluginId} />],
                  [
                    "Release",
                    <Link key="release" to={`/releases/${value.releaseId}`}>
                      {value.version ?? `Release ${value.releaseNumber}`}
                    </Link>
                  ],
                  ["Digest", value.digest === null ? null : <code key="digest">{value.digest}</code>],
                  [
                    "Previous release",
                    value.previousReleaseId === null ? null : (
                      <Link key="previous" to={`/releases/${value.previousReleaseId}`}>
                        Open the previous release
                      </Link>
                    )
                  ],
                  ["Starts", value.startsAt === null ? null : <Time key="starts" at={value.startsAt} />],
                  ["Created", <Time key="created" at={value.createdAt} />],
                  ["Ended", value.endedAt === null ? null : <Time key="ended" at={value.endedAt} />],
                  ["Last reason", comment]
                ]}
              />
            </Section>
          </div>
        )
      }}
    </Shown>
  )
}
