/** The parameters of the page that is shown: those of its path, and those of the query, which filters and tabs set. */
import { useNavigate, useParams, useRouterState } from "@tanstack/react-router"

export type Parameters = Readonly<Record<string, string | undefined>>

const textsOf = (values: unknown): Parameters =>
  Object.fromEntries(
    Object.entries(values ?? {}).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[name, String(value)] as const]
        : []
    )
  )

/** A parameter of the path, such as `pluginId`. */
export const usePathParameter = (name: string): string => textsOf(useParams({ strict: false }))[name] ?? ""

/** The parameters of the query. */
export const useParameters = (): Parameters =>
  textsOf(useRouterState({ select: ({ location }): unknown => location.search, structuralSharing: false }))

/** Changes parameters of the query and keeps the others; undefined removes one. */
export const useSetParameters = (): ((changes: Parameters) => void) => {
  const navigate = useNavigate()
  const current = useParameters()
  return (changes) => void navigate({ to: ".", search: { ...current, ...changes }, replace: true })
}
