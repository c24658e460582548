/** What the test file that runs in this worker has made. `each-file.ts` checks and releases it, because workers keep modules. */

/** Responses that do not match the contract, from all control planes since the last test. */
export const contractFaults: Array<string> = []

/** Releases what the file has started; runs after its last test, the newest first. */
export const releases: Array<() => unknown> = []
