import type { SeenDimension } from "@orgplane/client"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import type { Column } from "../../design/data-table.tsx"
import { ListPage } from "../../design/list-page.tsx"
import { Badge, Time } from "../../design/ui.tsx"
import { visible } from "../../design/visible.ts"
import { useParameters } from "../../parameters.ts"
import { useDimensionTypes } from "./use-choices.ts"

const columns: ReadonlyArray<Column<SeenDimension>> = [
  { name: "Type", width: "minmax(0, 1fr)", cell: ({ type }) => <Badge>{type}</Badge>, sort: ({ type }) => type },
  {
    name: "Value",
    width: "minmax(0, 3fr)",
    cell: ({ label, type, value }) => (
      <Link to="/analytics" search={{ dimension: type, value }} title={visible(value)}>
        {label ?? value}
      </Link>
    ),
    sort: ({ label, value }) => label ?? value
  },
  { name: "Events", width: "90px", cell: ({ events }) => events.toLocaleString("en"), sort: ({ events }) => events },
  {
    name: "First event",
    width: "130px",
    wide: true,
    cell: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
    sort: ({ firstSeenAt }) => firstSeenAt
  },
  {
    name: "Last event",
    width: "130px",
    wide: true,
    cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    sort: ({ lastSeenAt }) => lastSeenAt
  }
]

export const Page = () => {
  const types = useDimensionTypes(useParameters()["type"])
  return (
    <ListPage
      title="Dimensions"
      name="dimensions"
      description="The skills, plugins, models and other values that events have."
      columns={columns}
      searches
      filters={[{ name: "type", label: "Type", options: types }]}
      load={(input, signal, filters) => client.telemetry.dimensions({ ...input, ...filters }, { signal })}
      idOf={({ type, value }) => JSON.stringify([type, value])}
      empty="A value is listed as soon as an event has it."
    />
  )
}
