import { expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const plugins = (count: number) => ({
  "GET /v1/plugins": {
    body: { items: Array.from({ length: count }, (_, index) => ({ id: `plg_${index}`, name: "A" })), nextCursor: null }
  }
})

/** Lists plugins on a terminal, and records what the pager shows. */
const list = async (count: number, options: object = {}, flags: ReadonlyArray<string> = [], starts = true) => {
  const { url } = await serve(plugins(count))
  const shown: Array<readonly [string, string]> = []
  const pages = (commandLine: string, text: string) => shown.push([commandLine, text]) > 0 && starts
  const { code, out } = await ran(["plugins", "list", ...flags], { url, columns: 80, rows: 10, pages, ...options })
  return { code, out, shown }
}

it("shows output that is longer than the terminal in the pager, and shorter output without it", async () => {
  const long = await list(30)
  expect([long.code, long.out, long.shown.length]).toEqual([0, "", 1])
  expect(long.shown[0]?.[0]).toBe("less")
  expect(long.shown[0]?.[1].split("\n").length).toBeGreaterThan(30)
  const short = await list(3)
  expect([short.code, short.shown, short.out.includes("plg_2")]).toEqual([0, [], true])
})

it("uses the program of the environment, and none if it is turned off or cannot start", async () => {
  expect((await list(30, { env: { ORGPLANE_PAGER: "most -w", PAGER: "more" } })).shown[0]?.[0]).toBe("most -w")
  expect((await list(30, { env: { PAGER: "more" } })).shown[0]?.[0]).toBe("more")
  for (const [options, flags, starts] of [
    [{}, ["--no-pager"], true],
    [{ env: { ORGPLANE_PAGER: "" } }, [], true],
    [{ env: { PAGER: "cat" } }, [], true],
    [{ env: { TERM: "dumb" } }, [], true],
    [{}, [], false]
  ] as const) {
    const { code, out } = await list(30, options, flags, starts)
    expect([options, code, out.includes("plg_29")]).toEqual([options, 0, true])
  }
})

it("is never used in a pipe", async () => {
  const { out, shown } = await list(30, { columns: undefined, rows: undefined })
  expect([shown, out.split("\n").length]).toEqual([[], 31])
})
