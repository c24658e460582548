import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Long work in small pieces: a generator that yields after each piece and returns the result. */
export type Steps<A> = Generator<void, A, void>

/** A request takes several iterations of the event loop, and in each it may wait for one time slice of such work. */
const sliceMillis = 4
/** Pieces between two checks of the clock. */
const piecesPerCheckDefault = 8

/** Runs the work to its end without yielding to the event loop: for small work, and for synchronous callers. */
export const runToEnd = <A>(steps: Steps<A>): A => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** Runs the work in time slices of a few milliseconds, and yields to the event loop before and between them. */
export const inTimeSlices = Effect.fnUntraced(function* <A>(steps: Steps<A>, piecesPerCheck = piecesPerCheckDefault) {
  const clock = yield* Clock.Clock
  yield* Effect.yieldNow
  let until = clock.currentTimeMillisUnsafe() + sliceMillis
  for (let pieces = 1; ; pieces += 1) {
    const next = steps.next()
    if (next.done === true) return next.value
    if (pieces % piecesPerCheck === 0 && clock.currentTimeMillisUnsafe() >= until) {
      yield* Effect.yieldNow
      until = clock.currentTimeMillisUnsafe() + sliceMillis
    }
  }
})

/** `Array.forEach`, one item per piece. */
export const eachSteps = function* <A>(items: ReadonlyArray<A>, visit: (item: A) => void): Steps<void> {
  for (const item of items) {
    visit(item)
    yield
  }
}

/** `Array.map`, one item per piece. */
export const mapSteps = function* <A, B>(items: ReadonlyArray<A>, map: (item: A, index: number) => B): Steps<Array<B>> {
  const mapped: Array<B> = []
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index))
    yield
  }
  return mapped
}

/** `Array.flatMap`, one item per piece. */
export const flatMapSteps = function* <A, B>(
  items: ReadonlyArray<A>,
  map: (item: A, index: number) => ReadonlyArray<B>
): Steps<Array<B>> {
  const mapped: Array<B> = []
  for (const [index, item] of items.entries()) {
    for (const one of map(item, index)) mapped.push(one)
    yield
  }
  return mapped
}

/** Rows of one statement: a few hundred kilobytes of JSON, written and read in a few milliseconds. */
const rowsPerPart = 500

/** Writes any number of rows in statements of a bounded size, one after another, and returns all their rows. */
export const inParts = <A, B, E, R>(
  rows: ReadonlyArray<A>,
  write: (part: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.gen(function* () {
    if (rows.length <= rowsPerPart) return rows.length === 0 ? [] : yield* write(rows)
    const responses: Array<B> = []
    for (let at = 0; at < rows.length; at += rowsPerPart) {
      for (const response of yield* write(rows.slice(at, at + rowsPerPart))) responses.push(response)
    }
    return responses
  })

/** Items written as JSON together: a piece is about ten kilobytes of text. */
const itemsPerText = 20

/** `JSON.stringify` of an array, or of the results of `of` for its items, which must be JSON values. */
export const jsonSteps = function* <A>(
  items: ReadonlyArray<A>,
  of: (item: A) => unknown = (item) => item
): Steps<string> {
  const texts: Array<string> = []
  for (let at = 0; at < items.length; at += itemsPerText) {
    const text = JSON.stringify(items.slice(at, at + itemsPerText).map((item) => of(item)))
    texts.push(text.slice(1, -1))
    yield
  }
  return `[${texts.join(",")}]`
}

/** Items that are sorted or merged in one piece. */
const itemsPerRun = 512

/** `Array.toSorted`, by merging runs that are sorted separately; also stable. */
export const sortedSteps = function* <A>(
  items: ReadonlyArray<A>,
  compare: (a: A, b: A) => number
): Steps<ReadonlyArray<A>> {
  let runs: Array<ReadonlyArray<A>> = []
  for (let at = 0; at < items.length; at += itemsPerRun) {
    runs.push(items.slice(at, at + itemsPerRun).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: Array<ReadonlyArray<A>> = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeSteps(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

const mergeSteps = function* <A>(
  left: ReadonlyArray<A>,
  right: ReadonlyArray<A>,
  compare: (a: A, b: A) => number
): Steps<ReadonlyArray<A>> {
  const last = left.at(-1)
  const [first] = right
  // Runs that are already in order, as in most listings, are not compared item by item.
  if (first === undefined || last === undefined || compare(last, first) <= 0) return left.concat(right)
  const merged: Array<A> = []
  let at = 0
  for (const item of left) {
    for (let other = right[at]; other !== undefined && compare(other, item) < 0; other = right[at]) {
      merged.push(other)
      at += 1
    }
    merged.push(item)
    if (merged.length % 64 === 0) yield
  }
  return merged.concat(right.slice(at))
}
