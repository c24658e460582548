/**
 * A bounded set of strings that were added recently. It has two generations: the older one is dropped when the newer
 * one is full or old enough, so a membership check costs two lookups and never scans.
 */
export class RecentSet {
  readonly #generationMax: number
  readonly #generationMillis: number
  #newer = new Set<string>()
  #older = new Set<string>()
  #startedAt = 0

  /** Keeps each item for 1–2 × `generationMillis`, or until 1–2 × `generationMax` newer items have been added. */
  constructor(generationMax: number, generationMillis: number) {
    this.#generationMax = generationMax
    this.#generationMillis = generationMillis
  }

  #turnOver(now: number, older: Set<string>) {
    this.#older = older
    this.#newer = new Set()
    this.#startedAt = now
  }

  #expire(now: number) {
    const age = now - this.#startedAt
    if (age >= 0 && age < this.#generationMillis) return
    // If the clock is set back, the generation's time starts again.
    if (age < 0) this.#startedAt = now
    else this.#turnOver(now, age < 2 * this.#generationMillis ? this.#newer : new Set())
  }

  has(text: string, now: number): boolean {
    this.#expire(now)
    return this.#newer.has(text) || this.#older.has(text)
  }

  add(text: string, now: number): void {
    this.#expire(now)
    if (this.#newer.has(text)) return
    if (this.#newer.size >= this.#generationMax) this.#turnOver(now, this.#newer)
    this.#newer.add(text)
  }

  delete(text: string): void {
    this.#newer.delete(text)
    this.#older.delete(text)
  }

  get size(): number {
    return this.#newer.size + this.#older.size
  }
}
