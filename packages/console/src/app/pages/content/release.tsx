/** A release of a plugin: what is new against what was served, everything that it can do, and the decision. */
import type { PluginReleaseDetails } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { Notice, PageHeader, Time } from "../../design/ui.tsx"
import { Author, Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { CapabilityChanges } from "./changes.tsx"
import { Loaded } from "./loaded.tsx"
import { Crumb } from "./parts.tsx"
import { CapabilitySet } from "./plugin-capabilities.tsx"
import { ReleaseState } from "./plugin-releases.tsx"
import { ReleaseDecision } from "./release-decision.tsx"
import { Reach } from "./release-reach.tsx"
import { ReleaseTexts } from "./release-texts.tsx"

const reasons: Readonly<Record<NonNullable<PluginReleaseDetails["decidedBecause"]>, string>> = {
  approver: "by an approver",
  import: "by the import of the plugin",
  no_growth: "because it has no new or changed capabilities",
  approved_before: "because the same content was approved before",
  served_before: "because it was served when a stricter delivery mode was set",
  policy: "because the delivery mode became automatic",
  withdrawn: "because it was withdrawn"
}

const Compared = ({ release }: { readonly release: PluginReleaseDetails }) => {
  const { comparison, problem } = release
  if (comparison === null) {
    return (
      <Notice title="The capabilities cannot be compared" tone="warn">
        <span>{problem ?? "No archive of the plugin can be created."}</span>
      </Notice>
    )
  }
  return (
    <div className="stack">
      <p className="muted">
        Compared with the release that was served when this one was created.
        {comparison.needsReview ? "" : " Nothing was added or changed, so no review is needed."}
      </p>
      <CapabilityChanges difference={comparison} label="Changes of the capabilities" />
    </div>
  )
}

const All = ({ releaseId }: { readonly releaseId: string }) => {
  const query = useQuery({
    queryKey: ["approvals", releaseId, "capabilities"],
    queryFn: ({ signal }) => client.approvals.capabilities(releaseId, {}, { signal })
  })
  return (
    <Shown query={query} lines={8}>
      {(set) => <CapabilitySet set={set} />}
    </Shown>
  )
}

const About = ({ release }: { readonly release: PluginReleaseDetails }) => (
  <Section title="Release">
    <Facts
      rows={[
        ["Status", <ReleaseState key="state" release={release} />],
        ["Plugin", <Name kind="plugin" key="plugin" id={release.pluginId} />],
        ["Number", release.number],
        ["Version", release.version],
        ["Revision", release.sourceRevisionRef === null ? null : <code>{release.sourceRevisionRef}</code>],
        ["Digest", release.digest === null ? null : <code>{release.digest}</code>],
        ["Created", <Time key="created" at={release.createdAt} />],
        ...(release.approvalsRequired > 0 && release.state === "pending"
          ? ([["Approvals", `${release.approvals} of ${release.approvalsRequired}`]] as const)
          : []),
        ...(release.decidedAt === null
          ? []
          : ([
              ["Decided", <Time key="decided" at={release.decidedAt} />],
              ["Decided by", <Author key="author" id={release.decidedByOrgMembershipId} />],
              ["Reason", release.decidedBecause === null ? null : reasons[release.decidedBecause]],
              ["Comment", release.comment]
            ] as const))
      ]}
    />
    <Allowed permission="rollouts:read">
      <p>
        <Link to="/rollouts" search={{ pluginId: release.pluginId }}>
          Rollouts
        </Link>
      </p>
    </Allowed>
  </Section>
)

export const Page = () => {
  const id = usePathParameter("releaseId")
  const query = useQuery({
    queryKey: ["approvals", id],
    queryFn: ({ signal }) => client.approvals.get(id, { signal })
  })
  return (
    <>
      <Crumb to="/approvals">Approvals</Crumb>
      <Loaded title="Release" query={query}>
        {(release) => (
          <>
            <PageHeader
              title={`${release.name}, release ${release.number}`}
              actions={<ReleaseDecision release={release} />}
            />
            <Tabs
              tabs={[
                {
                  value: "changes",
                  label: "What is new",
                  content: () => (
                    <div className="stack">
                      <Compared release={release} />
                      <ReleaseTexts release={release} />
                    </div>
                  )
                },
                { value: "capabilities", label: "Everything it can do", content: () => <All releaseId={id} /> },
                { value: "reach", label: "Who receives it", content: () => <Reach releaseId={id} /> },
                { value: "about", label: "About", content: () => <About release={release} /> }
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  )
}
