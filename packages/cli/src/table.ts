/** The shape of the generated command table: plain data, so that a start costs no more than reading it. */

export interface FlagRow {
  /** As typed: `object-type`. */
  readonly name: string
  /** As sent: `objectType`. */
  readonly member: string
  readonly in: "query" | "body"
  readonly type: "string" | "integer" | "number" | "boolean" | "enum"
  readonly values?: ReadonlyArray<string>
  /** The flag may be repeated. */
  readonly many?: true
  /** Each value is `name=value`, a member of the object that is sent. */
  readonly pairs?: true
  readonly required?: true
  /** A member of the flattened member. */
  readonly nested?: true
  /** The value names a file, or `-`, whose text is sent; `line` without its end, and asked for unseen on a terminal. */
  readonly file?: true | "line"
  /** A moment that may be told as a duration, from now on or before now. */
  readonly moment?: "ahead" | "ago"
  readonly help?: string
}

/** A body member that a flag cannot say; it comes with `--input`. */
export interface JsonRow {
  readonly member: string
  readonly required?: true
  readonly nested?: true
  readonly help?: string
}

export interface ArgumentRow {
  readonly name: string
  readonly member: string
  /** The id of an object of any kind, sent as `{ kind, id }`. */
  readonly object?: true
  readonly help?: string
}

export interface OperationRow {
  /** `list-mappings`; words below each other where they are several: `tokens rotate`. */
  readonly name: string
  /** `connectors.listMappings` */
  readonly id: string
  readonly method: string
  /** `/v1/connector-targets/:connectorTargetId/mappings` */
  readonly path: string
  readonly ids: ReadonlyArray<{ readonly name: string; readonly member: string; readonly help?: string }>
  /** Members of the body, or of the query where there is none, that follow the ids on the line. */
  readonly arguments?: ReadonlyArray<ArgumentRow>
  readonly flags: ReadonlyArray<FlagRow>
  readonly json?: ReadonlyArray<JsonRow>
  /** Members with one possible value: sent, never asked for. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>
  /** The body's member whose own members are the flags. */
  readonly flatten?: string
  /** The operation takes a body, so `--input` is there. */
  readonly body?: true
  /** The answer is a page of at most so many rows. */
  readonly pageMax?: number
  /** The answer is a stream of bytes. */
  readonly streams?: true
  /** The server honours an `Idempotency-Key`. */
  readonly idempotent?: true
  /** A status from 400 on that is an answer all the same. */
  readonly answers?: number
  /** Nobody needs to be signed in. */
  readonly public?: true
  readonly summary: string
  readonly description?: string
}

export interface GroupRow {
  /** `config-objects`; a group below another has the other's name first: `sso domains`. */
  readonly name: string
  readonly id: string
  readonly summary: string
  readonly operations: ReadonlyArray<OperationRow>
}

export type CommandTable = ReadonlyArray<GroupRow>
