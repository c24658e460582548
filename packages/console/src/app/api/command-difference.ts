/**
 * How the CLI command of an operation differs from the usual form: `plugins.listAccess` is `orgplane plugins list-access`,
 * the IDs of the path are its arguments, and the field `sourceMode` is the flag `--source-mode`.
 */
export interface CommandDifference {
  /** The words after `orgplane`. */
  readonly command?: string
  /** Fields that are arguments after the IDs. The argument for an object is its ID. */
  readonly arguments?: ReadonlyArray<string>
  /** The flags of fields that are not named like them. `null`: only a body as JSON can set the field. */
  readonly flags?: Readonly<Record<string, string | null>>
  /** The field of the body whose own fields are the flags. */
  readonly flatten?: string
  /** The command has a body, and asks for confirmation. */
  readonly confirms?: true
  /** The command writes a file. */
  readonly archive?: true
}
