import { parentPort, workerData } from "node:worker_threads"

/** A thread that sends health checks continuously, and reports the slowest response in each requested time window. */
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
