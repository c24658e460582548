/** A directed graph from left to right, and the same edges as a list. The layout is loaded when the first graph is shown. */
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Failure, Skeleton } from "./ui.tsx"
import "./graph.css"

export interface GraphNode {
  readonly id: string
  readonly title: string
  /** A second line, such as the kind of the object. */
  readonly detail?: string
  readonly tone?: "good" | "warn" | "bad" | "neutral" | "accent"
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly label?: string
  /** An edge that would go away, or has. */
  readonly isRemoved?: boolean
}

interface Placed {
  readonly width: number
  readonly height: number
  readonly nodes: ReadonlyArray<GraphNode & { readonly x: number; readonly y: number }>
  readonly edges: ReadonlyArray<GraphEdge & { readonly path: string; readonly x: number; readonly y: number }>
}

interface LayoutGraph {
  readonly setGraph: (options: object) => void
  readonly setDefaultEdgeLabel: (label: () => object) => void
  readonly setNode: (id: string, label: object) => void
  readonly setEdge: (from: string, to: string, label: object, name: string) => void
  readonly graph: () => { readonly width?: number; readonly height?: number }
  readonly node: (id: string) => { readonly x: number; readonly y: number }
  readonly edge: (
    from: string,
    to: string,
    name: string
  ) => {
    readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>
    readonly x?: number
    readonly y?: number
  }
}

/** The part of the library that is used. Its own declarations have imports that TypeScript resolves for bundlers only. */
interface Dagre {
  readonly Graph: new (options: { readonly multigraph: boolean }) => LayoutGraph
  readonly layout: (graph: LayoutGraph) => void
}

const isDagre = (value: unknown): value is Dagre =>
  typeof value === "object" && value !== null && "Graph" in value && "layout" in value

const nodeWidth = 190
const nodeHeight = 52
/** Characters that fit into a node. The title is bold. */
const titleMax = 20
const detailMax = 24

const short = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

const place = async (nodes: ReadonlyArray<GraphNode>, edges: ReadonlyArray<GraphEdge>): Promise<Placed> => {
  const library: unknown = await import("@dagrejs/dagre")
  if (!isDagre(library)) throw new Error("The layout of graphs is not available.")
  const { Graph: LayoutGraph, layout } = library
  const graph = new LayoutGraph({ multigraph: true })
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 56, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { width: nodeWidth, height: nodeHeight })
  edges.forEach(({ from, label = "", to }, index) =>
    graph.setEdge(from, to, { width: label.length * 7, height: 16, labelpos: "c" }, String(index))
  )
  layout(graph)
  const { height = 0, width = 0 } = graph.graph()
  return {
    width,
    height,
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id)
      return { ...node, x, y }
    }),
    edges: edges.map((edge, index) => {
      const { points, x, y } = graph.edge(edge.from, edge.to, String(index))
      const path = points.map((point, each) => `${each === 0 ? "M" : "L"}${point.x} ${point.y}`).join(" ")
      const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 }
      return { ...edge, path, x: x ?? middle.x, y: y ?? middle.y }
    })
  }
}

/** Nodes that a graph shows. Layouts of larger graphs would block the page. */
const nodesMax = 150

export const Graph = ({
  edges,
  label,
  nodes,
  onSelect
}: {
  readonly label: string
  readonly nodes: ReadonlyArray<GraphNode>
  readonly edges: ReadonlyArray<GraphEdge>
  readonly onSelect?: (id: string) => void
}): ReactNode => {
  const shown = nodes.slice(0, nodesMax)
  const ids = new Set(shown.map(({ id }) => id))
  const linked = edges.filter(({ from, to }) => ids.has(from) && ids.has(to))
  const query = useQuery({
    queryKey: ["layout", shown, linked],
    queryFn: () => place(shown, linked),
    staleTime: Infinity
  })
  const titles = new Map(nodes.map(({ id, title }) => [id, title]))
  if (query.isError) return <Failure error={query.error} />
  if (query.data === undefined) return <Skeleton height={160} />
  const { height, width } = query.data
  return (
    <div className="stack">
      <div className="graph" tabIndex={0} role="region" aria-label={label}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
              <path d="M0 0L8 4L0 8z" className="graph-arrow" />
            </marker>
          </defs>
          {query.data.edges.map(({ from, isRemoved, label: text, path, to, x, y }) => (
            <g key={`${from} ${to} ${text ?? ""}`} data-removed={isRemoved === true}>
              <path d={path} className="graph-edge" markerEnd="url(#arrow)" />
              {text !== undefined && (
                <text x={x} y={y - 4} className="graph-label">
                  {text}
                </text>
              )}
            </g>
          ))}
          {query.data.nodes.map(({ detail, id, title, tone = "neutral", x, y }) => (
            <g
              key={id}
              transform={`translate(${x - nodeWidth / 2} ${y - nodeHeight / 2})`}
              data-tone={tone}
              data-opens={onSelect !== undefined}
              onClick={() => onSelect?.(id)}
            >
              <title>{title}</title>
              <rect width={nodeWidth} height={nodeHeight} rx="8" className="graph-node" />
              <text x="12" y={detail === undefined ? 31 : 23} className="graph-title">
                {short(title, titleMax)}
              </text>
              {detail !== undefined && (
                <text x="12" y="40" className="graph-detail">
                  {short(detail, detailMax)}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      {nodes.length > nodesMax && (
        <p className="muted">
          The first {nodesMax} of {nodes.length} are shown.
        </p>
      )}
      <details>
        <summary>Show as a list</summary>
        <ul className="graph-list">
          {linked.map(({ from, isRemoved, label: text, to }) => (
            <li key={`${from} ${to} ${text ?? ""}`}>
              {titles.get(from)} → {titles.get(to)}
              {text === undefined ? "" : ` (${text})`}
              {isRemoved === true ? ", would be removed" : ""}
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}
