/** A chart of numbers over time, and the same numbers as a table. The library is loaded when the first chart is shown. */
import { useEffect, useRef, useState } from "react"
import type uPlot from "uplot"
import "./chart.css"

export interface Series {
  readonly name: string
  /** One value for each time; null where there is none. */
  readonly values: ReadonlyArray<number | null>
}

export interface ChartProps {
  /** What the chart shows, such as "Active members per day". */
  readonly title: string
  /** ISO 8601 timestamps or dates, ascending. */
  readonly times: ReadonlyArray<string>
  readonly series: ReadonlyArray<Series>
  readonly kind?: "line" | "bars"
  readonly unit?: string
  readonly height?: number
}

const colors = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5", "--series-6"]
const valueOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" })

/** The color of the theme that is shown: a canvas does not know variables or `light-dark()`. */
const resolved = (element: HTMLElement, variable: string) => {
  const probe = document.createElement("span")
  probe.style.color = `var(${variable})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const daySeconds = 86_400
/** Steps of the axis for values of whole days: a mark between two days would have no value. */
const dayIncrements = [1, 2, 3, 7, 14, 30, 60, 90, 180, 365].map((days) => days * daySeconds)

const isDaily = ([first, second]: ReadonlyArray<string>) =>
  first !== undefined && second !== undefined && Date.parse(second) - Date.parse(first) >= 0.9 * daySeconds * 1000

const useThemeChange = () => {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const change = () => setCount((each) => each + 1)
    const media = matchMedia("(prefers-color-scheme: dark)")
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] })
    media.addEventListener("change", change)
    return () => {
      observer.disconnect()
      media.removeEventListener("change", change)
    }
  }, [])
  return count
}

export const Chart = ({ height = 220, kind = "line", series, times, title, unit = "" }: ChartProps) => {
  const element = useRef<HTMLDivElement>(null)
  const theme = useThemeChange()
  useEffect(() => {
    const target = element.current
    if (target === null || times.length === 0) return
    let plot: uPlot | undefined
    let isOpen = true
    const observer = new ResizeObserver(() => plot?.setSize({ width: target.clientWidth, height }))
    void import("uplot").then(({ default: Plot }) => {
      if (!isOpen) return
      const axis = {
        stroke: resolved(target, "--muted"),
        grid: { stroke: resolved(target, "--line"), width: 1 },
        ticks: { stroke: resolved(target, "--line"), width: 1 },
        font: `12px ${valueOf("--font")}`
      }
      plot = new Plot(
        {
          width: target.clientWidth,
          height,
          legend: { show: false },
          cursor: { drag: { x: false, y: false } },
          scales: {
            // A single time is in the middle of its day; otherwise, years would be shown around it.
            x: { range: (_, min, max) => (min === max ? [min - 43_200, max + 43_200] : [min, max]) },
            y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.1] }
          },
          axes: [
            { ...axis, ...(isDaily(times) ? { incrs: dayIncrements } : {}) },
            { ...axis, size: 56, values: (_, values) => values.map((each) => number.format(each) + unit) }
          ],
          series: [
            {},
            ...series.map(({ name }, index) => {
              const stroke = resolved(target, colors[index % colors.length] ?? "--accent")
              const bars = Plot.paths.bars?.({ size: [0.7, 40] })
              return {
                label: name,
                stroke,
                width: 2,
                ...(kind === "bars" && bars !== undefined ? { fill: stroke, paths: bars, points: { show: false } } : {})
              }
            })
          ]
        },
        [times.map((time) => Date.parse(time) / 1000), ...series.map(({ values }) => [...values])],
        target
      )
      observer.observe(target)
    })
    return () => {
      isOpen = false
      observer.disconnect()
      plot?.destroy()
    }
  }, [height, kind, series, theme, times, unit])
  return (
    <figure className="chart">
      <figcaption className="row spread">
        <strong>{title}</strong>
        <ul className="chart-legend">
          {series.map(({ name }, index) => (
            <li key={name} data-series={(index % colors.length) + 1}>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      {times.length === 0 ? (
        <p className="muted" style={{ height }}>
          There is no data for this period.
        </p>
      ) : (
        <div ref={element} style={{ height }} aria-hidden="true" />
      )}
      {times.length > 0 && (
        <details>
          <summary>Show as a table</summary>
          <div className="chart-table" tabIndex={0} role="region" aria-label={title}>
            <table>
              <thead>
                <tr>
                  <th>Date</th>
                  {series.map(({ name }) => (
                    <th key={name}>{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {times.map((time, row) => (
                  <tr key={time}>
                    <td>{day.format(new Date(time))}</td>
                    {series.map(({ name, values }) => {
                      const value = values[row] ?? null
                      return <td key={name}>{value === null ? "" : number.format(value) + unit}</td>
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </figure>
  )
}

/** Shares of a whole as horizontal bars, largest first. */
export const Bars = ({
  rows,
  title
}: {
  readonly title: string
  readonly rows: ReadonlyArray<{ readonly name: string; readonly value: number }>
}) => {
  const max = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>
      </figcaption>
      <ul className="bars">
        {rows.map(({ name, value }) => (
          <li key={name}>
            <span className="bars-name">{name}</span>
            <span className="bars-track" aria-hidden="true">
              <span style={{ width: `${(100 * value) / max}%` }} />
            </span>
            <span className="bars-value">{number.format(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
