/** A question waits until what it shows has been read. */
import { createContext, useCallback, useContext, useLayoutEffect, useState } from "react"

type Change = (count: 1 | -1) => void

const Reads = createContext<Change | undefined>(undefined)
export const ReadsProvider = Reads.Provider

/** Counts the reads below a `ReadsProvider` that gets `report`. */
export const usePendingReads = (): { readonly isReading: boolean; readonly report: Change } => {
  const [count, setCount] = useState(0)
  const report = useCallback<Change>((change) => setCount((current) => current + change), [])
  return { isReading: count > 0, report }
}

/** Reports a read to the question that contains it. Before the first paint, so that the button is never active early. */
export const useReportRead = (isReading: boolean): void => {
  const report = useContext(Reads)
  useLayoutEffect(() => {
    if (!isReading || report === undefined) return
    report(1)
    return () => report(-1)
  }, [isReading, report])
}
