/** Runs sequences against a directory and removes the objects they created. The caller provides the transport. */
import { differencesFrom, type Sequence, type Step, type World } from "./sequence.ts"

export interface ScimRequest {
  readonly method: string
  /** Relative to the base URL. */
  readonly path: string
  readonly body: unknown
  readonly contentType: string
  readonly userAgent: string
}

export interface ScimResponse {
  readonly status: number
  readonly contentType: string
  /** Parsed JSON; undefined if there is none. */
  readonly body: unknown
}

export type Send = (request: ScimRequest) => Promise<ScimResponse>

export interface StepResult {
  readonly provider: Sequence["provider"]
  readonly title: string
  readonly method: string
  readonly path: string
  readonly result: "ok" | "failed" | "skipped"
  readonly expected: { readonly status: ReadonlyArray<number>; readonly answer?: unknown }
  readonly got: { readonly status: number | null; readonly answer?: unknown }
  /** One message for each difference from the expected response. */
  readonly faults: ReadonlyArray<string>
}

/** A step needs an object that no earlier step created. */
class MissingPrerequisite extends Error {
  override readonly name = "MissingPrerequisite"
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const differencesOf = (expected: StepResult["expected"], response: ScimResponse): ReadonlyArray<string> => {
  const differences: Array<string> = []
  if (!expected.status.includes(response.status)) {
    const detail = memberOf(response.body, "detail")
    differences.push(
      `expected ${expected.status.join(" or ")}, got ${response.status}${typeof detail === "string" ? `: ${detail}` : ""}`
    )
    return differences
  }
  if (response.body === undefined) {
    if (expected.answer !== undefined && response.status !== 204) differences.push("expected a response body, got none")
    return differences
  }
  if (!/^application\/scim\+json\b/i.test(response.contentType)) {
    differences.push(
      `expected application/scim+json, got ${response.contentType === "" ? "nothing" : response.contentType}`
    )
  }
  return expected.answer === undefined
    ? differences
    : [...differences, ...differencesFrom(expected.answer, response.body)]
}

export interface RunOptions {
  readonly sequences: ReadonlyArray<Sequence>
  /** Makes the names of this run unique. */
  readonly run: string
  readonly send: Send
  readonly onStep?: (result: StepResult, done: number, total: number) => Promise<void> | void
  /** Stops further steps. Created objects are still removed. */
  readonly isStopped?: () => boolean
}

export interface Outcome {
  readonly steps: ReadonlyArray<StepResult>
  /** Paths of the objects that could not be removed. */
  readonly leftovers: ReadonlyArray<string>
}

/** Removes groups before their members. 404 counts as removed. */
const removeCreated = async (
  created: ReadonlyArray<string>,
  sequence: Sequence,
  send: Send
): Promise<ReadonlyArray<string>> => {
  const remaining = await Promise.all(
    created.toReversed().map(async (path) => {
      const response = await send({
        method: "DELETE",
        path,
        body: undefined,
        contentType: sequence.contentType,
        userAgent: sequence.userAgent
      }).catch(() => undefined)
      return response !== undefined && (response.status === 204 || response.status === 404) ? [] : [path]
    })
  )
  return remaining.flat()
}

export const runSequences = async (options: RunOptions): Promise<Outcome> => {
  const { isStopped = () => false, onStep, run, send, sequences } = options
  const steps: Array<StepResult> = []
  const leftovers: Array<string> = []
  const total = sequences.reduce((sum, sequence) => sum + sequence.steps.length, 0)
  for (const sequence of sequences) {
    const ids = new Map<string, string>()
    const created = new Set<string>()
    const world: World = {
      run,
      id: (name) => {
        const id = ids.get(name)
        if (id === undefined)
          throw new MissingPrerequisite(`${name} does not exist because the step that creates it failed`)
        return encodeURIComponent(id)
      }
    }
    for (const step of sequence.steps) {
      if (isStopped()) break
      const result = await runStep(step, sequence, world, send, { ids, created })
      steps.push(result)
      await onStep?.(result, steps.length, total)
    }
    leftovers.push(...(await removeCreated([...created], sequence, send)))
    if (isStopped()) break
  }
  return { steps, leftovers }
}

interface RunState {
  readonly ids: Map<string, string>
  readonly created: Set<string>
}

const runStep = async (
  step: Step,
  sequence: Sequence,
  world: World,
  send: Send,
  { ids, created }: RunState
): Promise<StepResult> => {
  const info = { provider: sequence.provider, title: step.title, method: step.method }
  let path: string
  let body: unknown
  let expected: StepResult["expected"] = { status: step.status }
  try {
    path = step.path(world)
    body = step.body?.(world)
    if (step.response !== undefined) expected = { ...expected, answer: step.response(world) }
  } catch (error) {
    if (!(error instanceof MissingPrerequisite)) throw error
    return { ...info, path: "", result: "skipped", expected, got: { status: null }, faults: [messageOf(error)] }
  }
  const response = await send({
    method: step.method,
    path,
    body,
    contentType: sequence.contentType,
    userAgent: sequence.userAgent
  }).catch((error: unknown) => messageOf(error))
  if (typeof response === "string") {
    const differences = [`no response: ${response}`]
    return { ...info, path, result: "failed", expected, got: { status: null }, faults: differences }
  }
  const id = memberOf(response.body, "id")
  if (step.method === "POST" && response.status >= 200 && response.status < 300 && typeof id === "string") {
    // Also if the step expected a failure: every created object is removed.
    created.add(`${path}/${encodeURIComponent(id)}`)
    if (step.keep !== undefined) ids.set(step.keep, id)
  }
  if (step.method === "DELETE" && response.status === 204) created.delete(path)
  const differences = differencesOf(expected, response)
  return {
    ...info,
    path,
    result: differences.length === 0 ? "ok" : "failed",
    expected,
    got: { status: response.status, ...(response.body === undefined ? {} : { answer: response.body }) },
    faults: differences
  }
}
