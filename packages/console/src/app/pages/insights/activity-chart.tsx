/** The activity of the last 30 days as charts. */
import type { AdminMetrics } from "@orgplane/client"
import { useMemo } from "react"
import { Chart } from "../../design/chart.tsx"
import { chartTime } from "./range.ts"

export const ActivityChart = ({ series }: { readonly series: AdminMetrics["activitySeries"] }) => {
  const times = useMemo(() => series.map(({ day }) => chartTime(day)), [series])
  const lines = useMemo(
    () => [
      { name: "Active members", values: series.map(({ activeUsers }) => activeUsers) },
      { name: "With changes or tasks", values: series.map(({ realActiveUsers }) => realActiveUsers) }
    ],
    [series]
  )
  return <Chart title="Active members per day" times={times} series={lines} />
}

export const JoinedChart = ({ series }: { readonly series: AdminMetrics["activitySeries"] }) => {
  const times = useMemo(() => series.map(({ day }) => chartTime(day)), [series])
  const bars = useMemo(() => [{ name: "New members", values: series.map(({ signups }) => signups) }], [series])
  return <Chart title="New members per day" kind="bars" times={times} series={bars} />
}
