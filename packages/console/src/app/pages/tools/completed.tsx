/** The page to which the server sends the browser after a sign-in. It completes the connection, once. */
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Failure, Notice, PageHeader } from "../../design/ui.tsx"
import { announceConnected } from "./sign-in-window.tsx"

interface Returned {
  readonly state: string
  readonly code: string
  readonly iss?: string
}

export interface CompletedProps {
  /** The page of the object, such as `/mcp-connections/emc_…`. */
  readonly path: string
  /** Exchanges the code. `headers` select the organization in which the sign-in was started. */
  readonly complete: (returned: Returned, headers: Readonly<Record<string, string>>) => Promise<unknown>
}

/** The address as the browser opened it. The router reads numbers in it as numbers, which would change some codes. */
const openedAddress = (): URL => {
  const [entry] = performance.getEntriesByType("navigation")
  return new URL(entry?.name ?? location.href, location.href)
}

/** The result by state, because a code can be used once and the page may be rendered twice. */
const results = new Map<string, Promise<void>>()

type Outcome =
  | { readonly kind: "working" }
  | { readonly kind: "connected" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "failed"; readonly error: unknown }

const complete = ({ complete: exchange, path }: CompletedProps, parameters: URLSearchParams): Promise<void> => {
  const state = parameters.get("state") ?? ""
  const existing = results.get(state)
  if (existing !== undefined) return existing
  const iss = parameters.get("iss")
  const organization = parameters.get("organization")
  const result = exchange(
    { state, code: parameters.get("code") ?? "", ...(iss === null ? {} : { iss }) },
    organization === null ? {} : { "x-organization-id": organization }
  ).then(() => announceConnected(path))
  results.set(state, result)
  return result
}

export const Completed = (props: CompletedProps) => {
  const [parameters] = useState(() => openedAddress().searchParams)
  const [outcome, setOutcome] = useState<Outcome>({ kind: "working" })
  useEffect(() => {
    // The code does not stay in the history of the browser.
    history.replaceState(history.state, "", location.pathname)
    const refusal = parameters.get("error")
    if (refusal !== null || parameters.get("code") === null) {
      setOutcome({ kind: "refused", reason: (refusal ?? "no_code").slice(0, 64) })
      return
    }
    complete(props, parameters).then(
      () => {
        setOutcome({ kind: "connected" })
        window.close()
      },
      (error: unknown) => setOutcome({ kind: "failed", error })
    )
  }, [])
  const back = <Link to={props.path}>Back to the connection</Link>
  switch (outcome.kind) {
    case "working":
      return (
        <>
          <PageHeader title="Connecting" />
          <p role="status" aria-busy="true">
            One moment…
          </p>
        </>
      )
    case "connected":
      return (
        <>
          <PageHeader title="Connected" />
          <div className="stack">
            <Notice title="Your account is connected" tone="good">
              <span>Close this window, and continue where you were.</span>
            </Notice>
            {back}
          </div>
        </>
      )
    case "refused":
      return (
        <>
          <PageHeader title="Not connected" />
          <div className="stack">
            <Notice
              title={
                outcome.reason === "access_denied"
                  ? "Access was denied in the sign-in"
                  : "The sign-in returned no permission"
              }
              tone="bad"
            >
              <span>
                Nothing was connected. The reason is <code>{outcome.reason}</code>. Start again on the page of the
                connection.
              </span>
            </Notice>
            {back}
          </div>
        </>
      )
    case "failed":
      return (
        <>
          <PageHeader title="Not connected" />
          <div className="stack">
            <Failure error={outcome.error} />
            <p>A sign-in can be completed once, and within ten minutes. Start again on the page of the connection.</p>
            {back}
          </div>
        </>
      )
  }
}
