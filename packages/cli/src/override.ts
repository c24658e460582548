/** How a command differs from the generated command of its operation. */
import type { FlagRow } from "./command-table.ts"
import type { ExitCode } from "./exit-code.ts"

export interface FlagOverride {
  readonly name?: string
  /** An earlier name, which still works. */
  readonly former?: string
  /** The value is a file name. `line`: the file contains one line, such as a token. */
  readonly file?: true | "line"
  /** The value may be a duration from now or before now: `90d`. */
  readonly time?: "future" | "past"
  /** The member is an object of strings, set by repeating the flag with `name=value`. */
  readonly pairs?: true
  readonly help?: string
}

/** A body member, or a query parameter if there is no body, that is a positional argument. */
export interface ArgumentOverride {
  readonly name: string
  readonly member: string
  /** The ID of an object of any kind. Its prefix determines the kind. */
  readonly object?: true
  readonly help?: string
}

export interface Override {
  /** The name of the command, if it differs from the operation. Several words nest it: `tokens rotate`. */
  readonly command?: string
  /** An additional name. */
  readonly alias?: string
  /** Columns of a table, or rows of a single object: dotted member paths. */
  readonly columns?: ReadonlyArray<string>
  /**
   * The columns to show on a narrow terminal, most important first; the others follow in their order. Default: the first
   * ID, and the column after it.
   */
  readonly priority?: ReadonlyArray<string>
  /** Columns that a table omits if they are empty in all rows. In a pipe, they are always printed. */
  readonly sparse?: ReadonlyArray<string>
  /** Columns that are computed from a row. JSON and YAML do not contain them. */
  readonly computed?: Readonly<Record<string, (row: unknown) => string>>
  /** The list inside the response whose rows are printed like those of a page. */
  readonly rows?: string
  /** A custom rendering for terminals instead of columns. */
  readonly draw?:
    | "analytics"
    | "call"
    | "chain"
    | "delivery"
    | "deliveryExplanation"
    | "device"
    | "diff"
    | "history"
    | "memories"
    | "metrics"
    | "plan"
    | "policy"
    | "preview"
    | "readiness"
    | "release"
    | "resolution"
    | "review"
    | "rollout"
    | "rolloutPreview"
    | "scimLog"
    | "simulation"
    | "sso"
    | "usage"
    | "withdrawal"
  /** The response is an archive for a file or a pipe, kept only after verification. */
  readonly archive?: true
  /** Printed to stderr on a terminal, after the response. */
  readonly note?: (body: unknown) => string | undefined
  /** Printed to stderr on a terminal after the rows of all fetched pages. */
  readonly total?: (rows: ReadonlyArray<unknown>) => string | undefined
  /** The exit code for a successful response that reports a failure. */
  readonly fails?: (body: unknown) => boolean | ExitCode
  /** A secret that appears only in this response. `--quiet` prints it instead of the ID. */
  readonly secret?: string
  /** What `--quiet` prints for a response without an ID. */
  readonly text?: (body: unknown) => string
  /** The list grows over time: adds `--follow`. */
  readonly follow?: true
  /**
   * A second list below the path of the operation, printed after the response on a terminal. With a flag, it is printed only
   * with the flag, and also in a pipe. `rows` is the list in its response. Default: `items`.
   */
  readonly beside?: {
    readonly path: string
    readonly columns: ReadonlyArray<string>
    readonly rows?: string
    readonly flag?: { readonly name: string; readonly help: string }
  }
  /** The member that identifies a row, if it is not `id`. */
  readonly id?: string
  /** A list inside the response that is printed as a separate table on a terminal. */
  readonly list?: { readonly member: string; readonly columns: ReadonlyArray<string> }
  /** In a pipe, only the rows of `list` are printed. */
  readonly listInPipes?: true
  /** The path of the object whose ID `--quiet` prints, if it is not `item`. */
  readonly subject?: string
  /** The confirmation prompt of a destructive command. */
  readonly confirm?: (ids: ReadonlyArray<string>) => string
  /** The progress that the command shows while it runs. */
  readonly progress?: "discovery" | "apply" | "sync" | "worker"
  /** Adds `--file` with one item per line. Each line has its own result. */
  readonly lines?: true
  /** Members that are positional arguments. */
  readonly arguments?: ReadonlyArray<ArgumentOverride>
  /** Members that the command sets itself. */
  readonly hide?: ReadonlyArray<string>
  /** The body member whose own members become flags. */
  readonly flatten?: string
  /** Flag overrides by member. */
  readonly flags?: Readonly<Record<string, FlagOverride>>
  /** Additional flags for query parameters that take the name or ID of an object. The request field `names` has its list. */
  readonly nameFlags?: ReadonlyArray<Required<Pick<FlagRow, "help" | "member" | "name" | "names">>>
  /** Default values of required members. */
  readonly defaults?: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
  readonly examples?: ReadonlyArray<{ readonly command: string; readonly description: string }>
}
