/** Flags and types that several commands share. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

/** A command that is not the root. Its handler only reports the parsed command line. */
export type Branch = Command.Command<string, unknown, object>

export const toggle = (name: string, help: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(help), Flag.withDefault(false))

export const text = (name: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help), Flag.optional)

export const linesFile = text(
  "file",
  "file|-",
  "One item per line, as CSV or JSON objects. Each line has its own result"
)

export const browserFlags = {
  noBrowser: toggle("no-browser", "Print the link without opening a browser"),
  paste: toggle(
    "paste",
    "Paste the code or final URL instead of waiting on 127.0.0.1, for a browser on another machine"
  )
}
