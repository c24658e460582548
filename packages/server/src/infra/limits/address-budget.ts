interface Account {
  left: number
  at: number
}

/** Maximum number of tracked addresses; the least recently charged one is dropped first. */
const addressesMax = 20_000

/** A token bucket for each source address. It is local to this process. */
export class AddressBudget {
  readonly #accounts = new Map<string, Account>()
  readonly #burst: number
  readonly #perSecond: number

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
  }

  /** Takes an amount; returns false when the address has less than that left. */
  take(address: string, now: number, amount = 1): boolean {
    const account = this.#accounts.get(address)
    const refill = account === undefined ? this.#burst : (Math.max(0, now - account.at) / 1000) * this.#perSecond
    const left = Math.min(this.#burst, (account?.left ?? 0) + refill)
    if (left < amount) return false
    this.#accounts.delete(address)
    if (this.#accounts.size >= addressesMax) {
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest)
        break
      }
    }
    this.#accounts.set(address, { left: left - amount, at: now })
    return true
  }

  /** Refunds an amount that turned out to be legitimate use. */
  refund(address: string, amount = 1): void {
    const account = this.#accounts.get(address)
    if (account !== undefined) account.left = Math.min(this.#burst, account.left + amount)
  }

  get size(): number {
    return this.#accounts.size
  }
}
