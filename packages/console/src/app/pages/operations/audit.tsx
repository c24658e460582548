/** The audit log: its events, as they happen, and the proof that nothing was changed. */
import { PageHeader } from "../../design/ui.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { AuditExport } from "./audit-export.tsx"
import { AuditLog } from "./audit-log.tsx"
import { Integrity } from "./integrity.tsx"
import { Live } from "./live.tsx"

export const Page = () => (
  <>
    <PageHeader
      title="Audit"
      description="Every change, who made it, and what was before. The log is sealed and can be verified."
      actions={<AuditExport />}
    />
    <Tabs
      tabs={[
        { value: "log", label: "Log", content: () => <AuditLog /> },
        { value: "live", label: "Live", content: () => <Live /> },
        { value: "integrity", label: "Integrity", content: () => <Integrity /> }
      ]}
    />
  </>
)
