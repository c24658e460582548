/** Code that is loaded after the page that needs it. */
import { useEffect, useState } from "react"

const loadAfterMilliseconds = 2000

/**
 * What a module exports, loaded when it is needed, or once the page has had time to load. Undefined until then. A failure
 * while the module is needed is reported; the page stays as it is. `load` and `onFailure` must not change.
 */
export const useLater = <A>(
  load: () => Promise<A>,
  isNeeded: boolean,
  onFailure: (error: unknown) => void
): A | undefined => {
  const [loaded, setLoaded] = useState<{ readonly value: A }>()
  const isLoaded = loaded !== undefined
  useEffect(() => {
    if (isLoaded) return
    const start = () =>
      void load().then(
        (value) => setLoaded({ value }),
        (error: unknown) => {
          if (isNeeded) onFailure(error)
        }
      )
    if (isNeeded) return start()
    const timer = setTimeout(start, loadAfterMilliseconds)
    return () => clearTimeout(timer)
  }, [load, isNeeded, isLoaded, onFailure])
  return loaded?.value
}
