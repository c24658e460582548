/** The small components that every page uses. */
import { InvalidRequestError, OrgplaneError } from "@orgplane/client"
import { type ButtonHTMLAttributes, type InputHTMLAttributes, type ReactNode, useEffect, useId, useState } from "react"
import { basePath } from "../api/client.ts"
import { setProblem } from "../api/session-state.ts"
import { type Allowance, Allowed } from "./allowed.tsx"
import { explain } from "./explain.ts"
import { loadAgain } from "./form-version.ts"
import { visible } from "./visible.ts"

export type Tone = "good" | "warn" | "bad" | "neutral"

/** A button. If it needs a permission or a role on the object, people without it do not see the button. */
export const Button = ({
  access,
  kind = "plain",
  permission,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> &
  Allowance & { readonly kind?: "primary" | "danger" | "quiet" | "plain" }) => {
  const button = <button type="button" {...rest} className="button" data-kind={kind} />
  if (access === undefined && permission === undefined) return button
  return (
    <Allowed access={access} permission={permission}>
      {button}
    </Allowed>
  )
}

export const Badge = ({ children, tone = "neutral" }: { readonly children: ReactNode; readonly tone?: Tone }) => (
  <span className="badge" data-tone={tone}>
    {children}
  </span>
)

/** The problem of a field, or else its hint. */
export const FieldAbout = ({
  hint,
  id,
  problem
}: {
  readonly id: string
  readonly hint?: string | undefined
  readonly problem?: string | undefined
}) => (
  <div id={`${id}-about`}>
    {problem !== undefined ? (
      <span className="problem">{problem}</span>
    ) : (
      hint !== undefined && <span className="hint">{hint}</span>
    )}
  </div>
)

export const Field = ({
  hint,
  label,
  problem,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string
  readonly hint?: string
  readonly problem?: string | undefined
}) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className="input"
        aria-invalid={problem !== undefined}
        aria-describedby={hint === undefined && problem === undefined ? undefined : `${id}-about`}
      />
      <FieldAbout id={id} hint={hint} problem={problem} />
    </div>
  )
}

export const SearchInput = ({
  label,
  onChange,
  placeholder = "Search",
  value
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly placeholder?: string
}) => (
  <input
    className="input search"
    type="search"
    aria-label={label}
    placeholder={placeholder}
    maxLength={100}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)

export const Notice = ({
  children,
  title,
  tone = "neutral"
}: {
  readonly title: string
  readonly tone?: Tone
  readonly children?: ReactNode
}) => (
  <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
    <strong>{title}</strong>
    {children}
  </div>
)

const LoadAgain = () => {
  const [state, setState] = useState<"idle" | "loading" | "loaded" | "failed">("idle")
  const load = async () => {
    setState("loading")
    try {
      await loadAgain()
      setState("loaded")
    } catch {
      setState("failed")
    }
  }
  return state === "loaded" ? (
    <span role="status">The current values are loaded. Compare them with your change before you retry.</span>
  ) : (
    <div className="row">
      <Button disabled={state === "loading"} onClick={() => void load()}>
        Load again
      </Button>
      {state === "failed" && <span role="status">The current values could not be loaded.</span>}
    </div>
  )
}

const shownDetails = 10

export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => {
  const { detail, links = [], remedy, title } = explain(error)
  const requestId = error instanceof OrgplaneError ? error.requestId : undefined
  return (
    <Notice title={title} tone="bad">
      <span>{detail}</span>
      {error instanceof InvalidRequestError && error.details.length > 0 && (
        <ul className="facts">
          {error.details.slice(0, shownDetails).map(({ message, path }) => (
            <li key={`${path.join(".")} ${message}`}>
              <code>{path.slice(1).join(".")}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {links.length > 0 && (
        <ul className="facts" aria-label="What helps">
          {links.map(([text, path]) => (
            <li key={path}>
              {/* In a new tab, so that nothing that was typed is lost. */}
              <a href={`${basePath}${path}`} target="_blank" rel="noopener">
                {text}
              </a>
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <small>
          Request <code>{requestId}</code>
        </small>
      )}
      {remedy === "load-again" && <LoadAgain />}
      {remedy === "single-sign-on" && (
        <div className="row">
          <Button onClick={() => setProblem("sso_required")}>Sign in with single sign-on</Button>
        </div>
      )}
      {retry !== undefined && (
        <div className="row">
          <Button onClick={retry}>Try again</Button>
        </div>
      )}
    </Notice>
  )
}

export const PageHeader = ({
  actions,
  description,
  title
}: {
  readonly title: string
  readonly description?: string
  readonly actions?: ReactNode
}) => {
  useEffect(() => {
    document.title = `${visible(title)} – orgplane`
  }, [title])
  return (
    <header className="page-header">
      <div>
        <h1>{title}</h1>
        {description !== undefined && <p>{description}</p>}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </header>
  )
}

export const Empty = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** The placeholder while data is loading. */
export const Loading = ({
  children,
  className = "stack",
  label = "Loading"
}: {
  readonly children: ReactNode
  readonly className?: string
  readonly label?: string
}) => (
  <div className={className} role="progressbar" aria-busy="true" aria-label={label}>
    {children}
  </div>
)

export const Skeleton = ({ height = 16, width = "100%" }: { readonly height?: number; readonly width?: string }) => (
  <div className="skeleton" style={{ height, width }} />
)

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

/** A time relative to now; the exact one is its title. */
export const Time = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <span className="muted">never</span>
  const seconds = (Date.parse(at) - Date.now()) / 1000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["minute", 60]
  return (
    <time dateTime={at} title={absolute.format(new Date(at))}>
      {relative.format(Math.round(seconds / size), unit)}
    </time>
  )
}
