/** Reproducible random numbers from a seed. */
export interface Chances {
  /** A number from 0 to 1, excluding 1. */
  readonly next: () => number
  /** An integer from 0, less than `below`. */
  readonly nat: (below: number) => number
  readonly isOne: (probability: number) => boolean
  readonly pick: <A>(items: ReadonlyArray<A>) => A | undefined
}

export const makeChances = (seed: number): Chances => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const nat = (below: number) => Math.floor(next() * below)
  return { next, nat, isOne: (probability) => next() < probability, pick: (items) => items[nat(items.length)] }
}
