/** Code that is loaded after the page that needs it. */
import { useEffect, useState } from "react"

const loadAfterMilliseconds = 2000

/**
 * What a module exports, loaded when it is needed, or once the page has had time to load. Undefined until then. A module
 * that cannot be loaded leaves the page as it is, and is loaded again the next time it is needed.
 */
export const useLater = <A>(load: () => Promise<A>, isNeeded: boolean): A | undefined => {
  const [loaded, setLoaded] = useState<{ readonly value: A }>()
  const isLoaded = loaded !== undefined
  useEffect(() => {
    if (isLoaded) return
    const start = () =>
      void load().then(
        (value) => setLoaded({ value }),
        () => undefined
      )
    if (isNeeded) return start()
    const timer = setTimeout(start, loadAfterMilliseconds)
    return () => clearTimeout(timer)
  }, [load, isNeeded, isLoaded])
  return loaded?.value
}
