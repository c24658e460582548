/** Keeps the button of a dialog disabled until what the dialog shows has been read. */
import { createContext, useContext, useLayoutEffect, useMemo, useState } from "react"

interface PendingReads {
  readonly report: (change: 1 | -1) => void
  /** True for a confirmation, which shows the consequences of a change. False for a form. */
  readonly isConfirmation: boolean
}

const Reads = createContext<PendingReads | undefined>(undefined)
export const ReadsProvider = Reads.Provider

/** Counts the reads below a `ReadsProvider` that gets `reads`. */
export const usePendingReads = (
  isConfirmation = true
): { readonly isReading: boolean; readonly reads: PendingReads } => {
  const [count, setCount] = useState(0)
  const reads = useMemo<PendingReads>(
    () => ({ isConfirmation, report: (change) => setCount((current) => current + change) }),
    [isConfirmation]
  )
  return { isReading: count > 0, reads }
}

/** True within a confirmation, which shows the consequences of a change. */
export const useIsConfirmation = (): boolean => useContext(Reads)?.isConfirmation === true

/** Reports a read to the dialog that contains it. Before the first paint, so that the button is never active early. */
export const useReportRead = (isReading: boolean): void => {
  const report = useContext(Reads)?.report
  useLayoutEffect(() => {
    if (!isReading || report === undefined) return
    report(1)
    return () => report(-1)
  }, [isReading, report])
}
