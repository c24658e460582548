/** Renders the help of a command: description, usage, arguments, subcommands, flags, examples, exit codes. */
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { pad, width } from "./output/width.ts"

export interface HelpLayout {
  readonly colors: boolean
  readonly columns: number
}

const leftMax = 30

const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}

export const flagName = (flag: FlagDoc): string => {
  const short = flag.aliases.find((alias) => /^-\w$/.test(alias))
  return `${short === undefined ? "    " : `${short}, `}--${flag.name}${flag.type === "boolean" ? "" : ` <${flag.type}>`}`
}

/** The usual short form follows the name. Any other alias is the shorter name, so it is first. */
const namesOf = ({ alias, name }: { readonly alias: string | undefined; readonly name: string }): string =>
  alias === undefined ? name : alias === "ls" || alias === "rm" ? `${name}, ${alias}` : `${alias}, ${name}`

export const helpPage = (doc: HelpDoc, layout: HelpLayout): string => {
  const paint = (code: number) => (text: string) => (layout.colors ? `\u001b[${code}m${text}\u001b[0m` : text)
  const [bold, dim, cyan] = [paint(1), paint(2), paint(36)]
  const sections: Array<string> = []

  const rows = (pairs: ReadonlyArray<readonly [left: string, right: string]>): string => {
    const left = Math.min(leftMax, Math.max(...pairs.map(([text]) => width(text))))
    const available = Math.max(24, layout.columns - left - 4)
    return pairs
      .map(([name, help]) => {
        const lines = wrap(help, available)
        const indent = " ".repeat(left + 4)
        const rest = lines.map((line) => indent + line)
        // The help text of a long name starts on the next line.
        if (width(name) > left) return [`  ${cyan(name)}`, ...rest].join("\n")
        return [`  ${cyan(pad(name, left))}  ${lines[0] ?? ""}`, ...rest.slice(1)].join("\n").trimEnd()
      })
      .join("\n")
  }
  const section = (title: string, body: string) => sections.push(`${bold(title)}\n${body}`)
  const flags = (title: string, docs: ReadonlyArray<FlagDoc> | undefined) => {
    if (docs === undefined || docs.length === 0) return
    section(title, rows(docs.map((flag) => [flagName(flag), Option.getOrElse(flag.description, () => "")])))
  }

  if (doc.description !== "")
    sections.push(
      doc.description
        .split("\n")
        .flatMap((line) => wrap(line.trim(), layout.columns))
        .join("\n")
    )
  section("USAGE", `  ${doc.usage.replace("<subcommand>", "<command>")}`)
  if (doc.args !== undefined && doc.args.length > 0) {
    section(
      "ARGUMENTS",
      rows(
        doc.args.map((arg) => [
          `<${arg.name}>`,
          `${Option.getOrElse(arg.description, () => "")}${arg.required ? "" : " (optional)"}`
        ])
      )
    )
  }
  for (const group of doc.subcommands ?? []) {
    section(
      group.group ?? "COMMANDS",
      rows(group.commands.map((command) => [namesOf(command), command.shortDescription ?? command.description]))
    )
  }
  flags("FLAGS", doc.flags)
  const isRoot = doc.commandPath === undefined || doc.commandPath.length <= 1
  if (isRoot) flags("GLOBAL FLAGS", doc.globalFlags)
  if (doc.examples !== undefined && doc.examples.length > 0) {
    section(
      "EXAMPLES",
      doc.examples
        .map(
          ({ command, description }) =>
            `${description === undefined ? "" : `  ${dim(`# ${description}`)}\n`}  ${command}`
        )
        .join("\n\n")
    )
  }
  if (isRoot) section("EXIT CODES", `  ${wrap(exitCodes, layout.columns - 2).join("\n  ")}`)
  else sections.push(dim(`Global flags: ${doc.commandPath?.[0] ?? ""} --help`))
  return sections.join("\n\n")
}

export const exitCodes =
  "0 success, 1 failure, 2 usage error, 3 not found, 4 not signed in, 5 conflict, 6 not allowed, 7 rate limited, 8 server unreachable, 130 interrupted"
