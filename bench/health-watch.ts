import { parentPort, workerData } from "node:worker_threads"

/** A thread that asks for health all the time, and tells of each window that it is asked for how long the slowest took. */
const port = Number(Reflect.get(Object(workerData), "port"))
const everyMillis = Number(Reflect.get(Object(workerData), "everyMillis"))
let under: Array<Promise<number>> = []

setInterval(() => {
  const began = performance.now()
  under.push(
    fetch(`http://127.0.0.1:${port}/v1/health`)
      .then((response) => response.text())
      .then(
        () => performance.now() - began,
        () => Number.POSITIVE_INFINITY
      )
  )
}, everyMillis)

parentPort?.on("message", () => {
  const window = under
  under = []
  void Promise.all(window).then((millis) => parentPort?.postMessage(Math.max(0, ...millis)))
})
