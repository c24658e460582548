/** Types of the generated command table. It is plain data, so that loading it is fast. */

export interface FlagRow {
  /** On the command line: `object-type`. */
  readonly name: string
  /** In the request: `objectType`. */
  readonly member: string
  readonly in: "query" | "body"
  readonly type: "string" | "integer" | "number" | "boolean" | "enum"
  readonly values?: ReadonlyArray<string>
  /** The flag is repeatable. */
  readonly many?: true
  /** Each value is `name=value` and sets one member of an object. */
  readonly pairs?: true
  readonly required?: true
  /** The flag sets a member of the body member that `flatten` names. */
  readonly nested?: true
  /** The value is a file name or `-`, and the file's text is sent. `line`: the text is trimmed; `-` can prompt. */
  readonly file?: true | "line"
  /** The value is an ISO 8601 time, or a duration from now (`future`) or before now (`past`). */
  readonly time?: "future" | "past"
  readonly help?: string
  /** An earlier name, which still works. */
  readonly former?: string
  /** The member whose list has the names that the value can be, if it is not `member`. */
  readonly names?: string
}

/** A body member without a flag. It can only be set with `--input`. */
export interface JsonRow {
  readonly member: string
  readonly required?: true
  readonly nested?: true
  readonly help?: string
}

export interface ArgumentRow {
  readonly name: string
  readonly member: string
  /** The ID of an object of any kind, sent as `{ kind, id }`. */
  readonly object?: true
  readonly help?: string
}

export interface OperationRow {
  /** `list-mappings`, or several words for a nested command: `tokens rotate`. */
  readonly name: string
  /** `connectors.listMappings` */
  readonly id: string
  readonly method: string
  /** `/v1/connector-targets/:connectorTargetId/mappings` */
  readonly path: string
  readonly ids: ReadonlyArray<{ readonly name: string; readonly member: string; readonly help?: string }>
  /** Body members, or query parameters if there is no body, that are positional arguments after the IDs. */
  readonly arguments?: ReadonlyArray<ArgumentRow>
  readonly flags: ReadonlyArray<FlagRow>
  readonly json?: ReadonlyArray<JsonRow>
  /** Members with only one possible value, which have no flag. */
  readonly constants?: Readonly<Record<string, string | number | boolean>>
  /** The body member whose own members are the flags. */
  readonly flatten?: string
  /** The operation has a body, so the command has `--input`. */
  readonly body?: true
  /** The response is a page of at most this many rows. */
  readonly pageMax?: number
  /** The response is a stream of bytes. */
  readonly streams?: true
  /** The operation supports `Idempotency-Key`. */
  readonly idempotent?: true
  /** A failure status that the operation declares as a response, such as 503 for `ready`. */
  readonly declaredFailure?: number
  /** The operation does not require a credential. */
  readonly public?: true
  readonly summary: string
  readonly description?: string
}

export interface GroupRow {
  /** `config-objects`, or several words for a nested group: `sso domains`. */
  readonly name: string
  readonly id: string
  /** Title of the help section that lists the group. */
  readonly section: string
  readonly summary: string
  readonly operations: ReadonlyArray<OperationRow>
}

export type CommandTable = ReadonlyArray<GroupRow>
