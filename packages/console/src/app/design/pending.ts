/** A question waits until what it shows has been read. */
import { createContext, useContext, useLayoutEffect, useMemo, useState } from "react"

interface ReadsOf {
  readonly report: (change: 1 | -1) => void
  /** True for a question before a change: what it shows are the consequences. False for a form. */
  readonly isQuestion: boolean
}

const Reads = createContext<ReadsOf | undefined>(undefined)
export const ReadsProvider = Reads.Provider

/** Counts the reads below a `ReadsProvider` that gets `reads`. */
export const usePendingReads = (isQuestion = true): { readonly isReading: boolean; readonly reads: ReadsOf } => {
  const [count, setCount] = useState(0)
  const reads = useMemo<ReadsOf>(
    () => ({ isQuestion, report: (change) => setCount((current) => current + change) }),
    [isQuestion]
  )
  return { isReading: count > 0, reads }
}

/** True within a question before a change, whose consequences are shown. */
export const useIsQuestion = (): boolean => useContext(Reads)?.isQuestion === true

/** Reports a read to the question that contains it. Before the first paint, so that the button is never active early. */
export const useReportRead = (isReading: boolean): void => {
  const report = useContext(Reads)?.report
  useLayoutEffect(() => {
    if (!isReading || report === undefined) return
    report(1)
    return () => report(-1)
  }, [isReading, report])
}
