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
const pagesMax = 50

let requests: ReadonlyArray<RecordedRequest> = []
/** The path of the page that is shown. */
let shownPage: string | undefined
/** The requests of the pages that were shown last, the newest page last. */
const pages = new Map<string, ReadonlyArray<RecordedRequest>>()
const listeners = new Set<() => void>()

const change = (next: ReadonlyArray<RecordedRequest>) => {
  requests = next
  if (shownPage !== undefined) {
    pages.delete(shownPage)
    pages.set(shownPage, next)
    const [oldest] = pages.keys()
    if (pages.size > pagesMax && oldest !== undefined) pages.delete(oldest)
  }
  for (const listener of listeners) listener()
}

/** Identifies a request among those of a page. */
export const requestKey = ({ method, operation, path }: RecordedRequest): string => `${operation} ${method} ${path}`

/** Drops the oldest request of the operation with the most, so that reading many names does not displace the list. */
const bounded = (all: ReadonlyArray<RecordedRequest>): ReadonlyArray<RecordedRequest> => {
  if (all.length <= recordedMax) return all
  const counts = new Map<string, number>()
  for (const { operation } of all) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const dropped = all.find(({ operation }) => counts.get(operation) === most)
  return all.filter((each) => each !== dropped)
}

/** Adds a request, or moves it to the end if the page sent the same one before. */
export const record = (request: RecordedRequest): void =>
  change(bounded([...requests.filter((each) => requestKey(each) !== requestKey(request)), request]))

/** Shows the requests that a page sent before: it sends none if its data are still cached. */
export const startPage = (path: string): void => {
  // Those that were sent before the first page belong to it.
  const sent = shownPage === undefined ? requests : []
  shownPage = path
  change(pages.get(path) ?? sent)
}

/** Forgets the requests of all pages: those of another organization or another person are not shown. */
export const forgetRequests = (): void => {
  pages.clear()
  change([])
}

export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const recorded = (): ReadonlyArray<RecordedRequest> => requests
