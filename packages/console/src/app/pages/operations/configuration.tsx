/** Configuration as code: the repository that is applied, its runs, and the configuration as a document. */
import { PageHeader } from "../../design/ui.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { ConfigurationExport } from "./configuration-export.tsx"
import { Runs } from "./configuration-runs.tsx"
import { Source } from "./configuration-source.tsx"

export const Page = () => (
  <>
    <PageHeader
      title="Configuration"
      description="The settings and objects of the organization as files under version control."
    />
    <Tabs
      tabs={[
        { value: "runs", label: "Runs", content: () => <Runs /> },
        { value: "source", label: "Source", content: () => <Source /> },
        { value: "export", label: "Export", content: () => <ConfigurationExport /> }
      ]}
    />
  </>
)
