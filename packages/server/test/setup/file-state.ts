/** What the test file that runs in this worker has made. `each-file.ts` checks and releases it, because workers keep modules. */
import { afterEach, beforeEach } from "vitest"

/** Responses that do not match the contract, from all control planes since the last test. */
export const contractFaults: Array<string> = []

/** Releases what the file has started; runs after its last test, the newest first. */
export const releases: Array<() => unknown> = []

/** Releases what was started after the first `count` entries. */
export const releaseAfter = async (count: number): Promise<void> => {
  for (const release of releases.splice(count).toReversed()) await release()
}

/**
 * Releases after each test what it has started. For files in which most tests start control planes: those of all tests
 * together would have more connections than PostgreSQL allows.
 */
export const releaseAfterEachTest = (): void => {
  let startedBefore = 0
  beforeEach(() => {
    startedBefore = releases.length
  })
  afterEach(() => releaseAfter(startedBefore))
}
