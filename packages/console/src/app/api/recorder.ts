/** The requests of the page that is shown, which it can show as code. */

export interface RecordedRequest {
  /** Such as `plugins.list`. */
  readonly operation: string
  /** The arguments of the operation in the SDK, without its options. */
  readonly args: ReadonlyArray<unknown>
  readonly method: string
  /** The path and the query, such as `/v1/plugins?limit=50`. */
  readonly path: string
  readonly body: string | undefined
}

const recordedMax = 20
let requests: ReadonlyArray<RecordedRequest> = []
const listeners = new Set<() => void>()

const change = (next: ReadonlyArray<RecordedRequest>) => {
  requests = next
  for (const listener of listeners) listener()
}

const keyOf = ({ method, operation, path }: RecordedRequest) => `${operation} ${method} ${path}`

/** Adds a request, or moves it to the end if the page sent the same one before. */
export const record = (request: RecordedRequest): void =>
  change([...requests.filter((each) => keyOf(each) !== keyOf(request)), request].slice(-recordedMax))

/** Forgets the requests of the page that was shown before. */
export const startPage = (): void => change([])

export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const recorded = (): ReadonlyArray<RecordedRequest> => requests
