import type { ConfigurationRun } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Empty, Time } from "../../design/ui.tsx"
import { useParameters } from "../../parameters.ts"
import { Filters, SelectFilter } from "./filters.tsx"
import { isRunStatus, Revision, runStatuses, RunStatus, summaryText, triggerText } from "./run-parts.tsx"

const pageSize = 50
const refreshMilliseconds = 5000

const columns: ReadonlyArray<Column<ConfigurationRun>> = [
  { name: "Commit", width: "130px", cell: ({ revision }) => <Revision revision={revision} /> },
  {
    name: "Status",
    width: "minmax(120px, 1fr)",
    cell: ({ status }) => <RunStatus status={status} />,
    sort: ({ status }) => status
  },
  {
    name: "Changes",
    width: "minmax(0, 3fr)",
    wide: true,
    cell: ({ problemCount, summary }) =>
      problemCount > 0 ? `${problemCount} ${problemCount === 1 ? "problem" : "problems"}` : summaryText(summary)
  },
  { name: "Mode", width: "80px", wide: true, cell: ({ mode }) => mode, sort: ({ mode }) => mode },
  { name: "Started by", width: "minmax(0, 2fr)", wide: true, cell: ({ trigger }) => triggerText(trigger) },
  {
    name: "When",
    width: "minmax(100px, 1fr)",
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: ({ createdAt }) => createdAt
  }
]

export const Runs = () => {
  const value = useParameters()["status"]
  const status = isRunStatus(value) ? value : undefined
  return (
    <>
      <Filters>
        <SelectFilter name="status" label="Status" all="All runs" options={runStatuses} />
      </Filters>
      <DataTable
        label="Configuration runs"
        columns={columns}
        queryKey={["configuration", "runs", status]}
        load={(cursor, signal) =>
          client.configurationRuns.list(
            {
              limit: pageSize,
              ...(status === undefined ? {} : { status }),
              ...(cursor === undefined ? {} : { cursor })
            },
            { signal }
          )
        }
        idOf={({ id }) => id}
        to={({ id }) => `/configuration/runs/${id}`}
        refetchInterval={refreshMilliseconds}
        empty={
          status === undefined ? (
            <Empty title="No runs yet">
              <p>A run reads the configuration files of a commit, and shows how the organization differs from them.</p>
              <Link className="button" to="/configuration" search={{ tab: "source" }}>
                Set the source
              </Link>
            </Empty>
          ) : (
            <Empty title="Nothing matches" />
          )
        }
      />
    </>
  )
}
