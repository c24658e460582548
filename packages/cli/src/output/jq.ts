/**
 * jq filters. jq itself, compiled to WebAssembly, runs in a thread of its own, so that Ctrl+C ends a filter that would
 * never end. It is loaded only for `--jq`.
 */
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { exit } from "../exit-code.ts"
import { Failure, Interrupted, usage } from "../failure.ts"
import { escapeLines } from "./escape.ts"
import type { SelectionStyle } from "./selection.ts"

interface Reply {
  readonly text: string
  /** What jq printed on stderr, if it failed. */
  readonly problem?: string
}

/**
 * The code of the thread, as text because the published CLI is one file. jq ignores the failure of a filter that already
 * has results. The exit code reveals it, and a second run without results its reason.
 */
const threadCode = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { raw } = require(workerData)
  const run = async (input, filter, flags) => {
    process.exitCode = 0
    try {
      const text = await raw(input, filter, flags)
      return process.exitCode === 0 ? { text } : { text, problem: "" }
    } catch (error) {
      return { text: "", problem: String(error.message) }
    } finally {
      process.exitCode = 0
    }
  }
  parentPort.on("message", async ({ input, filter, flags }) => {
    const reply = await run(input, filter, flags)
    const isCut = reply.problem !== undefined && reply.text !== ""
    parentPort.postMessage(isCut ? { ...(await run(input, filter + "\\n| empty", flags)), text: reply.text } : reply)
  })`

const startThread = (): Worker => {
  // In the published CLI, `import.meta` is empty.
  const { resolve } = createRequire(typeof __filename === "undefined" ? import.meta.url : __filename)
  return new Worker(threadCode, { eval: true, workerData: resolve("jq-wasm") })
}

/** Compiles a filter. Its results are printed one per line: texts without quotes, everything else as JSON. */
export const filterOf = async (
  filter: string,
  { signal, terminal }: SelectionStyle
): Promise<(value: unknown) => Promise<string>> => {
  const thread = startThread()
  let pending: PromiseWithResolvers<Reply> | undefined
  thread.on("message", (reply: Reply) => pending?.resolve(reply))
  const fail = (reason: string) => pending?.reject(new Failure(exit.failure, `--jq: ${reason}`))
  thread.on("error", (error) => fail(error instanceof Error ? error.message : "The filter failed."))
  thread.on("exit", () => fail("The filter ended unexpectedly."))
  const interrupt = () => {
    pending?.reject(new Interrupted("interrupted"))
    void thread.terminate()
  }
  if (signal.aborted) interrupt()
  else signal.addEventListener("abort", interrupt, { once: true })
  const run = async (input: string): Promise<string> => {
    if (signal.aborted) throw new Interrupted("interrupted")
    pending = Promise.withResolvers<Reply>()
    // After a space, a dash does not start an option of jq.
    thread.postMessage({ input, filter: ` ${filter}`, flags: terminal ? ["-r"] : ["-r", "-c"] })
    // Only a filter that runs keeps the process alive.
    thread.ref()
    const { problem, text } = await pending.promise.finally(() => thread.unref())
    if (problem !== undefined) throw usage(`--jq: ${reasonOf(problem)}`)
    return text
  }
  // Without input, jq compiles the filter and does not run it.
  await run("")
  return async (value) => {
    const result = (await run(JSON.stringify(value))).replace(/\n$/u, "")
    return terminal ? escapeLines(result) : result
  }
}

const reasonOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^jq: \d+ compile errors?$/u.test(line))
    .join(" ")
    .replace(/^.*?jq: error(?: \(at [^)]*\))?: /u, "") || "The filter failed."
