/** Runs before each test file: workers keep their modules, so hooks must not be registered by shared modules. */
import { afterAll, afterEach, expect } from "vitest"
import { contractFaults, releaseAfter } from "./file-state.ts"

// Vitest records a hundred frames of every error, also of those that the server handles.
Error.stackTraceLimit = 15

// A response that does not match the contract fails the test that received it, even a test that expects an error.
afterEach(() => expect(contractFaults.splice(0)).toEqual([]))

afterAll(() => releaseAfter(0))
