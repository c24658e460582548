/** A map that drops its oldest entry when a new one would exceed its maximum size. Setting a key makes it the newest. */
export class BoundedMap<K, V> {
  readonly #max: number
  readonly #entries = new Map<K, V>()

  constructor(max: number) {
    this.#max = max
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= this.#max) this.#entries.delete(oldest)
    this.#entries.set(key, value)
  }

  get size(): number {
    return this.#entries.size
  }
}
