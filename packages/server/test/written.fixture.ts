import { afterAll, beforeAll } from "vitest"

/** Everything that the process prints while the tests of a file run; it is not printed elsewhere meanwhile. */
export const keepWritten = (): ReadonlyArray<string> => {
  const written: Array<string> = []
  const streams = [process.stdout, process.stderr] as const
  const writes = streams.map((stream) => stream.write.bind(stream))
  beforeAll(() => {
    for (const stream of streams) {
      stream.write = (chunk: Uint8Array | string) => {
        written.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))
        return true
      }
    }
  })
  afterAll(() => {
    for (const [index, stream] of streams.entries()) {
      const write = writes[index]
      if (write !== undefined) stream.write = write
    }
  })
  return written
}
