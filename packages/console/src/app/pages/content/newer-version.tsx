/** What the forms for a new version do if someone else has saved one since the form opened. */
import { type ReactNode, useState } from "react"
import { ChangedMeanwhile } from "../../design/explain.ts"
import { useLoads } from "../../design/form-version.ts"
import { Notice } from "../../design/ui.tsx"

interface Numbered {
  readonly id: string
  readonly ordinal: number
}

/**
 * The latest version when the form opened, or when the person last loaded it again, and a newer one if there is one.
 * `check` rejects if there is a newer one: creating a version does not support `If-Match`.
 */
export const useBaseVersion = <A extends Numbered>(current: A | null, readLatest: () => Promise<A | null>) => {
  const requested = useLoads()
  const [base, setBase] = useState<{
    readonly version: A | null
    readonly requested: number
    /** The version that the form opened with, if the person has loaded a newer one. */
    readonly opened?: A | null
  }>({ version: current, requested })
  const [newer, setNewer] = useState<A>()
  if (base.requested !== requested && base.version?.id !== current?.id) {
    setNewer(undefined)
    setBase({ version: current, requested, opened: base.opened === undefined ? base.version : base.opened })
  }
  const check = async () => {
    const latest = await readLatest()
    if (latest === null || latest.id === base.version?.id) return
    setNewer(latest)
    throw new ChangedMeanwhile()
  }
  const isLoaded = newer === undefined
  const change = !isLoaded
    ? { before: base.version, after: newer }
    : base.opened === undefined || base.version === null
      ? undefined
      : { before: base.opened, after: base.version }
  return { base: base.version, change, isLoaded, check }
}

/** What someone else has changed while the form was open. */
export const NewerVersion = ({
  children,
  isLoaded,
  ordinal
}: {
  readonly ordinal: number
  /** Whether the person has loaded the newer version. */
  readonly isLoaded: boolean
  /** The difference. */
  readonly children: ReactNode
}) => (
  <>
    <Notice title={`Version ${ordinal} was saved after you opened the form`} tone="warn">
      <span>
        {isLoaded
          ? "Your input was kept. Add the following changes to it, or the new version reverts them."
          : "It has the following changes, which your input does not contain."}
      </span>
    </Notice>
    {children}
  </>
)
