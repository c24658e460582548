/** The CLI reference, from the help of the commands: one page for each word after `orgplane`. */
import type { FlagDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import { commands } from "../packages/cli/src/generated/commands.ts"
import { exitCodes, flagName } from "../packages/cli/src/help.ts"
import { allHelp, type CommandHelp } from "../packages/cli/src/parse.ts"
import { examples } from "../packages/schema/src/generated/examples.ts"
import { exampleRequests, shortened } from "../packages/schema/src/shared/example-requests.ts"
import { operationLinks } from "./api-reference.ts"
import { codeBlock, slug, table, withUrlsAsCode } from "./markdown.ts"

export interface CliPage {
  readonly title: string
  readonly section: string
  /** The path of the page, without a leading slash. */
  readonly page: string
  readonly text: string
  readonly commands: ReadonlyArray<CommandHelp>
}

export interface CliReference {
  readonly overview: string
  readonly pages: ReadonlyArray<CliPage>
  /** The link to the command of an operation, by the ID of the operation. */
  readonly links: ReadonlyMap<string, string>
}

const general = "General"

/** The operation of each command. */
const operationOf: ReadonlyMap<string, string> = new Map(
  commands.flatMap((group) => group.operations.map((row) => [`${group.name} ${row.name}`, row.id] as const))
)

const sectionOf: ReadonlyMap<string, string> = new Map(
  commands.map(({ name, section }) => [name.split(" ")[0] ?? "", section] as const)
)

const cellOf = (description: Option.Option<string>): string => withUrlsAsCode(Option.getOrElse(description, () => ""))

const flagTable = (flags: ReadonlyArray<FlagDoc>): string =>
  table(
    ["Flag", "Description"],
    flags.map((flag) => [`\`${flagName(flag).trim()}\``, cellOf(flag.description)])
  )

const descriptionOf = (text: string): string =>
  withUrlsAsCode(text)
    .split("\n")
    .map((line) => line.trim())
    .map((line) => (/[.:]$/u.test(line) || line === "" ? line : `${line}.`))
    .join("\n\n")

/** The command of the example in the API reference, for a command whose help has no example. */
const recordedCommand = (operation: string | undefined): ReadonlyArray<string> => {
  const example = examples[operation ?? ""]
  if (example?.command === undefined) return []
  return exampleRequests(example, undefined).flatMap(({ code, label }) =>
    label === "Command line" ? [shortened(code)] : []
  )
}

/** The text of a command below its heading. */
const commandText = ({ aliases, help, path }: CommandHelp): string => {
  const operation = operationOf.get(path.join(" "))
  const link = operation === undefined ? undefined : operationLinks.get(operation)
  const own = (help.examples ?? []).map(({ command, description }) =>
    description === undefined ? command : `# ${description}\n${command}`
  )
  const lines = own.length > 0 ? own : recordedCommand(operation)
  return [
    descriptionOf(help.description),
    codeBlock("txt", help.usage.replace("<subcommand>", "<command>")),
    ...(aliases.length === 0 ? [] : [`Alias: ${aliases.map((alias) => `\`${alias}\``).join(", ")}`]),
    ...(help.args === undefined || help.args.length === 0
      ? []
      : [
          table(
            ["Argument", "Required", "Description"],
            help.args.map(({ description, name, required }) => [
              `\`<${name}>\``,
              required ? "yes" : "",
              cellOf(description)
            ])
          )
        ]),
    ...(help.flags.length === 0 ? [] : [flagTable(help.flags)]),
    ...(lines.length === 0 ? [] : [codeBlock("sh", lines.join("\n\n"))]),
    ...(link === undefined ? [] : [`API: [${operation}](${link})`])
  ].join("\n\n")
}

const isLeaf = ({ help }: CommandHelp): boolean => (help.subcommands ?? []).length === 0

const pageOf = (word: string): string => `reference/cli/${word}`

const cliPage = (title: string, section: string, page: string, all: ReadonlyArray<CommandHelp>): CliPage => {
  const top = all.find(({ path }) => path.length === 1 && path[0] === page.split("/").at(-1))
  const description = section === general || top === undefined ? "" : descriptionOf(top.help.description)
  const shown = all.filter(isLeaf)
  const skipped = section === general ? 0 : 1
  return {
    title,
    section,
    page,
    commands: shown,
    text: [
      `# ${title}`,
      description,
      ...shown.map((command) => {
        const name = command.path.slice(command.path.length > 1 ? skipped : 0).join(" ")
        return `## ${name}\n\n${commandText(command)}`
      })
    ]
      .filter((text) => text !== "")
      .join("\n\n")
  }
}

const overviewOf = (root: CommandHelp, pages: ReadonlyArray<CliPage>): string => {
  const bySection = Map.groupBy(pages, ({ section }) => section)
  return [
    "# CLI reference",
    descriptionOf(root.help.description),
    "The pages show the help of the commands: `orgplane <command> --help`. The guide is [The command line](/guides/cli).",
    ...[...bySection].flatMap(([section, own]) => [
      `## ${section}`,
      own
        .map(
          ({ commands, page, title }) =>
            `- [${title}](/${page}): ${commands
              .map(({ path }) => {
                const name = path.slice(section === general || path.length === 1 ? 0 : 1).join(" ")
                return `[${name}](/${page}#${slug(name)})`
              })
              .join(", ")}`
        )
        .join("\n")
    ]),
    "## Global flags",
    flagTable(root.help.globalFlags ?? []),
    "## Exit codes",
    table(
      ["Code", "Meaning"],
      exitCodes.split(", ").map((code) => {
        const [number = "", ...meaning] = code.split(" ")
        return [number, meaning.join(" ")]
      })
    )
  ].join("\n\n")
}

export const cliReference = async (): Promise<CliReference> => {
  const all = await allHelp(commands)
  const root = all.find(({ path }) => path.length === 0)
  if (root === undefined) throw new Error("The root command has no help.")
  const byWord = Map.groupBy(
    all.filter(({ path }) => path.length > 0),
    ({ path }) => path[0] ?? ""
  )
  const inSection = [...byWord].filter(([word]) => sectionOf.has(word))
  const others = [...byWord].filter(([word]) => !sectionOf.has(word)).flatMap(([, own]) => own)
  const pages = [
    ...inSection.map(([word, own]) => cliPage(`orgplane ${word}`, sectionOf.get(word) ?? "", pageOf(word), own)),
    cliPage("General commands", general, pageOf("general"), others)
  ]
  const links = new Map(
    pages.flatMap(({ commands, page }) =>
      commands.flatMap(({ path }) => {
        const operation = operationOf.get(path.join(" "))
        const anchor = slug(path.slice(1).join(" "))
        return operation === undefined ? [] : [[operation, `/${page}#${anchor}`] as const]
      })
    )
  )
  return { overview: overviewOf(root, pages), pages, links }
}
