import { expect, it } from "vitest"
import { memoryWarning } from "./memory-limit.ts"

const mebibyte = 1024 * 1024

it("warns about a memory limit that is too low for the engine, with both numbers", () => {
  expect(memoryWarning("pglite", 768 * mebibyte)).toBe(
    "The memory limit is 768 MiB. With the embedded database, orgplane needs at least 1024 MiB. With less, the operating system can end the process. Raise the memory limit of the container or service."
  )
  expect(memoryWarning("postgres", 256 * mebibyte)).toMatch(
    /^The memory limit is 256 MiB\. With PostgreSQL, orgplane needs at least 512 MiB/
  )
})

it("does not warn without a limit, or with enough memory", () => {
  expect(memoryWarning("pglite", 0)).toBeUndefined()
  expect(memoryWarning("pglite", 2 ** 64)).toBeUndefined()
  expect(memoryWarning("pglite", 1024 * mebibyte)).toBeUndefined()
  expect(memoryWarning("postgres", 768 * mebibyte)).toBeUndefined()
})
