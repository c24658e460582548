/** Waits. Rejects with the reason of the signal if it aborts first. */
export const delay = (millis: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    // An aborted signal emits no further event.
    if (signal?.aborted) return reject(signal.reason as Error)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, millis)
    signal?.addEventListener("abort", end, { once: true })
  })
