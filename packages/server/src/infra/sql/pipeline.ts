import { PipelineConnection } from "./pipeline-connection.ts"
import { connectionFailed } from "./pipeline-errors.ts"
import type { PipelineSession, Query } from "./pipeline-session.ts"
import { sharedStatementMillisMax } from "./statement-timeout.ts"

export interface PipelineOptions {
  readonly open: (onClose: (session: PipelineSession) => void) => PipelineSession
  readonly connectionsMax: number
}

/** A connection is kept for about a minute without a statement. Time is counted in checks. */
const idleCheckMillis = 15_000
const idleChecksMax = 4

/** Runs statements outside transactions over a few connections, without waiting for the results of earlier ones. */
export class Pipeline extends PipelineConnection {
  /** A statement on a shared connection delays the others on it. */
  protected override readonly millisMax = sharedStatementMillisMax
  readonly #options: PipelineOptions
  readonly #sessions: Array<PipelineSession> = []
  readonly #timer: ReturnType<typeof setInterval>
  #isClosed = false

  constructor(options: PipelineOptions) {
    super()
    this.#options = options
    this.#timer = setInterval(() => this.#closeIdle(), idleCheckMillis)
    this.#timer.unref()
  }

  /** Sends a statement. Its result cannot be canceled, because others are on the same connection. */
  protected run(query: Query): () => void {
    if (this.#isClosed) query.onError(connectionFailed(new Error("The database client was closed.")))
    else this.#leastBusy().run(query)
    return () => {}
  }

  get usage() {
    return { open: this.#sessions.length, idle: this.#sessions.filter(({ depth }) => depth === 0).length }
  }

  /** Closes the connections; running statements fail. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const session of [...this.#sessions]) session.end()
  }

  #leastBusy(): PipelineSession {
    let best: PipelineSession | undefined
    for (const session of this.#sessions) {
      if (session.isOpen && session.depth === 0) return session
      if (best === undefined || session.depth < best.depth) best = session
    }
    if (best !== undefined && this.#sessions.length >= this.#options.connectionsMax) return best
    const opened = this.#open()
    // An open connection is faster than one that is being opened.
    return best?.isOpen === true ? best : opened
  }

  #open(): PipelineSession {
    const session = this.#options.open((closed) => {
      const index = this.#sessions.indexOf(closed)
      if (index !== -1) this.#sessions.splice(index, 1)
    })
    this.#sessions.push(session)
    return session
  }

  #closeIdle(): void {
    for (const session of [...this.#sessions]) {
      if (!session.isOpen || session.depth > 0) continue
      session.idleChecks += 1
      if (session.idleChecks > idleChecksMax) session.end()
    }
  }
}
