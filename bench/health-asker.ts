import { parentPort, workerData } from "node:worker_threads"

/** A separate thread, so that delays of the load generator do not count as the server's. */
const port = Number(Reflect.get(Object(workerData), "port"))
const everyMillis = Number(Reflect.get(Object(workerData), "everyMillis"))
const times: Array<Promise<number>> = []

const timer = setInterval(() => {
  const began = performance.now()
  times.push(
    fetch(`http://127.0.0.1:${port}/v1/health`)
      .then((response) => response.text())
      .then(() => performance.now() - began)
  )
}, everyMillis)

parentPort?.once("message", () => {
  clearInterval(timer)
  void Promise.all(times).then((millis) => parentPort?.postMessage(millis))
})
