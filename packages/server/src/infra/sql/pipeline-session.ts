import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import type * as PgTypes from "@effect/sql-pg/PgTypes"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { Buffer } from "node:buffer"
import { connectionFailed, serverFailed, statementFailed } from "./pipeline-errors.ts"
import { closeFrame, describeFrame, executeFrame, executeOnlyFrame, Frames, typesOf } from "./pipeline-frames.ts"
import { type Column, type DecodeRow, makeRowDecoder, type Row } from "./pipeline-rows.ts"
import type { Link, Statement as Watched } from "./postgres-links.ts"
import * as Wire from "./wire.ts"

/** The result of a statement. */
export interface Rows {
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<Column>
  readonly command: string
}

export interface Query {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** Whether PostgreSQL keeps the parsed statement for the next execution. */
  readonly keeps: boolean
  /** Whether COMMIT follows in the same unit. If so, the result of the statement is returned after COMMIT succeeds. */
  readonly commits?: boolean
  readonly millisMax: number
  readonly onRows: (rows: Rows) => void
  readonly onError: (error: SqlError) => void
}

/** A statement that PostgreSQL keeps, or the unnamed one. */
interface Kept {
  readonly name: string
  readonly text: string
  readonly types: ReadonlyArray<number>
  /** Undefined until PostgreSQL has described the columns. */
  description: Description | undefined
  /** Whether it was executed since eviction last passed over it. */
  isUsed: boolean
}

interface Description {
  readonly columns: ReadonlyArray<Column>
  readonly decode: DecodeRow | undefined
}

/** A statement between its request and its last response. */
interface Running {
  readonly query: Query
  readonly kept: Kept
  /** The other statements of the same unit. */
  readonly othersKept: ReadonlyArray<Kept>
  readonly watched: Watched
  readonly rows: Array<Row>
  command: string
  failure: { readonly code: string; readonly error: SqlError } | undefined
  readonly isRetry: boolean
  /** The statements before this one in the same unit whose results are still to come. */
  skips: number
  next: Running | undefined
}

/** The status of a connection without a transaction. */
const idleStatus = 0x49
const keptMax = 200
const messageBytesMax = 16 * 1024 * 1024
const noColumns: Description = { columns: [], decode: undefined }

/** The server no longer knows the statement, or its columns have changed. In both cases it was not executed. */
const isStale = (code: string) => code === "26000" || code === "0A000"

const isSame = (some: ReadonlyArray<number>, others: ReadonlyArray<number>) => {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false
  return true
}

export interface SessionOptions {
  readonly link: Link
  readonly startup: Uint8Array
  readonly types: PgTypes.Registry
  /** Counts the statements that were sent, and those that failed on the server. */
  readonly counts: { statements: number; errors: number }
  /** Called for each error of a statement. */
  readonly onFailure: (error: SqlError, link: Link) => void
  readonly onClose: (session: PipelineSession) => void
}

/**
 * A connection whose statements are sent without waiting for the results of earlier ones. Each has its own Sync, so the
 * server runs them in order, and an error affects only its own statement.
 */
export class PipelineSession {
  readonly #options: SessionOptions
  readonly #frames = new Frames()
  readonly #kept = new Map<string, Array<Kept>>()
  #keptCount = 0
  #lastName = 0
  /** The oldest statement without a result, and the newest: a list, so that nothing refers to ended statements. */
  #oldest: Running | undefined
  #newest: Running | undefined
  #depth = 0
  /** Bytes of a message that has not arrived completely, and the size up to which they are collected. */
  #partial: Array<Buffer> = []
  #partialSize = 0
  #neededSize = 0
  #isOpen = false
  #isSending = false
  #closedWith: SqlError | undefined
  #status = idleStatus
  /** How often the pool found the connection idle since the last statement. */
  idleChecks = 0

  constructor(options: SessionOptions) {
    this.#options = options
    options.link.receive({
      onBytes: (bytes) => this.#receive(bytes),
      onClose: (cause) => this.#close(cause)
    })
    options.link.write(options.startup)
  }

  /** The number of statements without a result. */
  get depth(): number {
    return this.#depth
  }

  /** Whether statements can be sent at once. */
  get isOpen(): boolean {
    return this.#isOpen && this.#closedWith === undefined
  }

  /** Whether the server has an open transaction on this connection. */
  get isInTransaction(): boolean {
    return this.#status !== idleStatus
  }

  get isClosed(): boolean {
    return this.#closedWith !== undefined
  }

  get link(): Link {
    return this.#options.link
  }

  /**
   * Runs a statement. `before` are statements that the server executes first; if one fails, it skips the rest, and the
   * statement fails with that error.
   */
  run(query: Query, before: ReadonlyArray<Pick<Query, "text" | "values">> = []): void {
    if (this.#closedWith === undefined) this.#submit(query, false, before)
    else query.onError(this.#closedWith)
  }

  /** Cancels the running statement on the server, and closes the connection. */
  cut(cause: Error): void {
    this.#options.link.cut(cause)
  }

  /** Closes the connection once the running statements have ended. */
  end(): void {
    if (this.#isOpen) this.#options.link.end(PgProtocol.encodeTerminate())
    else this.#options.link.destroy()
  }

  #submit(query: Query, isRetry: boolean, before: ReadonlyArray<Pick<Query, "text" | "values">>): void {
    let kept: Kept
    const othersKept: Array<Kept> = []
    const commits = query.commits === true
    try {
      for (const { text, values } of before) {
        othersKept.push(this.#bind(text, values, true))
        this.#frames.append(executeOnlyFrame)
      }
      kept = this.#bind(query.text, query.values, query.keeps && !isRetry)
      if (kept.description === undefined) this.#frames.append(describeFrame)
      if (commits) {
        this.#frames.append(executeOnlyFrame)
        othersKept.push(this.#bind("COMMIT", [], true))
      }
      this.#frames.append(executeFrame)
    } catch (cause) {
      query.onError(statementFailed(cause))
      // The messages of the statements before it must not be sent without it.
      if (before.length > 0) this.#fail(cause)
      return
    }
    const { counts, link } = this.#options
    counts.statements += 1
    const running: Running = {
      query,
      kept,
      othersKept,
      watched: link.begin(query.millisMax),
      rows: [],
      command: "",
      failure: undefined,
      // A statement that is sent with others is not repeated alone.
      isRetry: isRetry || othersKept.length > 0,
      skips: before.length,
      next: undefined
    }
    if (this.#newest === undefined) this.#oldest = running
    else this.#newest.next = running
    this.#newest = running
    this.#depth += 1
    if (this.#isOpen && !this.#isSending) {
      this.#isSending = true
      // Statements of other requests of this turn of the event loop are sent in the same write.
      setImmediate(() => this.#send())
    }
  }

  /** Appends the messages that bind a statement. */
  #bind(text: string, values: ReadonlyArray<unknown>, keeps: boolean): Kept {
    const { types: registry } = this.#options
    const types = typesOf(values, registry)
    const existing = keeps ? this.#kept.get(text)?.find((kept) => isSame(kept.types, types)) : undefined
    const kept = existing ?? this.#name(text, types, keeps)
    kept.isUsed = true
    if (existing === undefined) this.#frames.parse(kept.name, text, types)
    this.#frames.bind(kept.name, values, types, registry)
    return kept
  }

  #name(text: string, types: ReadonlyArray<number>, keeps: boolean): Kept {
    if (!keeps) return { name: "", text, types, description: undefined, isUsed: true }
    if (this.#keptCount >= keptMax) this.#forgetUnused()
    this.#lastName += 1
    const kept: Kept = { name: `s${this.#lastName}`, text, types, description: undefined, isUsed: true }
    this.#kept.set(text, [...(this.#kept.get(text) ?? []), kept])
    this.#keptCount += 1
    return kept
  }

  /** Forgets the oldest statement that was not executed since the last time. */
  #forgetUnused(): void {
    for (const [text, ofText] of this.#kept) {
      const unused = ofText.find((kept) => !kept.isUsed)
      if (unused !== undefined) return this.#forget(unused)
      for (const kept of ofText) kept.isUsed = false
      // The loop comes to it again, after all others.
      this.#kept.delete(text)
      this.#kept.set(text, ofText)
    }
  }

  /** Statements that were sent before this one can still use it: the server handles messages in order. */
  #forget(kept: Kept): void {
    const ofText = this.#kept.get(kept.text)
    if (ofText === undefined || !ofText.includes(kept)) return
    const others = ofText.filter((other) => other !== kept)
    if (others.length === 0) this.#kept.delete(kept.text)
    else this.#kept.set(kept.text, others)
    this.#keptCount -= 1
    this.#frames.append(closeFrame(kept.name))
  }

  #send(): void {
    this.#isSending = false
    if (!this.isClosed && !this.#frames.isEmpty) this.#options.link.send(this.#frames.take())
  }

  #receive(chunk: Buffer): void {
    let bytes = chunk
    if (this.#partial.length > 0) {
      this.#partial.push(Buffer.from(chunk))
      this.#partialSize += chunk.length
      if (this.#partialSize < this.#neededSize) return
      bytes = Buffer.concat(this.#partial, this.#partialSize)
      this.#partial = []
      this.#partialSize = 0
    }
    try {
      this.#read(bytes)
    } catch (cause) {
      this.#fail(cause)
    }
  }

  #read(bytes: Buffer): void {
    const end = bytes.length
    let at = 0
    while (at + 5 <= end && !this.isClosed) {
      const size = bytes.readInt32BE(at + 1)
      if (size < 4 || size > messageBytesMax) throw new Error("The server sent an invalid PostgreSQL message.")
      const next = at + 1 + size
      if (next > end) {
        this.#neededSize = next - at
        break
      }
      this.#message(bytes[at] ?? 0, bytes, at + 5, next)
      at = next
    }
    if (at === end || this.isClosed) return
    if (end - at < 5) this.#neededSize = 5
    // A copy, because the next read may overwrite the buffer.
    this.#partial = [Buffer.from(bytes.subarray(at))]
    this.#partialSize = end - at
  }

  #message(kind: number, bytes: Buffer, at: number, end: number): void {
    const running = this.#oldest
    switch (kind) {
      case Wire.type.dataRow: {
        if (running !== undefined && running.skips > 0) return
        const decode = running?.kept.description?.decode
        if (running === undefined || decode === undefined) throw new Error("The server sent an unexpected row.")
        running.rows.push(decode(bytes, at))
        return
      }
      case Wire.type.commandComplete:
        if (running === undefined) return
        if (running.skips > 0) running.skips -= 1
        else running.command = bytes.toString("latin1", at, end - 1).split(" ", 1)[0] ?? ""
        return
      case Wire.type.rowDescription:
        if (running !== undefined) running.kept.description = this.#description(bytes, at)
        return
      case Wire.type.noData:
        if (running !== undefined) running.kept.description = noColumns
        return
      case Wire.type.errorResponse: {
        const failure = serverFailed(bytes, at, end)
        if (running === undefined || !this.#isOpen) return this.#fail(failure.error)
        running.failure = failure
        return
      }
      case Wire.type.readyForQuery:
        this.#status = bytes[at] ?? idleStatus
        return this.#ready()
      case Wire.type.copyIn:
      case Wire.type.copyOut:
      case Wire.type.copyBoth:
        throw new Error("COPY is not supported.")
      default:
        // ParseComplete, BindComplete, CloseComplete, notices and parameters need no reaction.
        return
    }
  }

  #description(bytes: Buffer, begin: number): Description {
    const columns: Array<Column> = []
    let at = begin + 2
    for (let index = bytes.readInt16BE(begin); index > 0; index--) {
      const nameEnd = bytes.indexOf(0, at)
      columns.push({ name: bytes.toString("utf8", at, nameEnd), type: bytes.readUInt32BE(nameEnd + 7) })
      at = nameEnd + 19
    }
    return { columns, decode: makeRowDecoder(columns, this.#options.types) }
  }

  /** The end of a statement; the first one is the end of the startup. */
  #ready(): void {
    if (!this.#isOpen) {
      this.#isOpen = true
      return this.#send()
    }
    const running = this.#oldest
    if (running === undefined) throw new Error("The server ended a statement that was not sent.")
    this.#oldest = running.next
    if (running.next === undefined) {
      this.#newest = undefined
      this.idleChecks = 0
    }
    // The garbage collector would keep all later statements for one that has already moved to the old generation.
    running.next = undefined
    this.#depth -= 1
    this.#options.link.settle(running.watched)
    const { failure, kept, othersKept, query, rows } = running
    if (failure === undefined) {
      return query.onRows({ rows, columns: kept.description?.columns ?? [], command: running.command })
    }
    this.#options.counts.errors += 1
    // The server has skipped the rest of the unit, so it may not know the statements that were new in it.
    for (const each of othersKept) this.#forget(each)
    if (kept.name !== "" && (kept.description === undefined || isStale(failure.code))) this.#forget(kept)
    // Within a transaction, nothing can be executed after a failure.
    if (kept.name !== "" && isStale(failure.code) && !running.isRetry && !this.isInTransaction)
      return this.#submit(query, true, [])
    this.#options.onFailure(failure.error, this.#options.link)
    query.onError(failure.error)
  }

  #fail(cause: unknown): void {
    this.#options.link.destroy(cause instanceof Error ? cause : new Error(String(cause)))
  }

  #close(cause: Error | undefined): void {
    if (this.#closedWith !== undefined) return
    const error = isSqlError(cause) ? cause : connectionFailed(cause ?? new Error("The connection was closed."))
    this.#closedWith = error
    this.#options.onClose(this)
    const oldest = this.#oldest
    this.#oldest = undefined
    this.#newest = undefined
    this.#depth = 0
    for (let running = oldest; running !== undefined; running = running.next) {
      running.query.onError(running.failure?.error ?? error)
    }
  }
}
