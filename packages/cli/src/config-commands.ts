/** `config` and `alias`. */
import { changeConfig, type Config, configSettings, loadConfig, settingName, wordsOf } from "./config-file.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { AliasInvocation, ConfigInvocation } from "./invocation.ts"
import { type Io, notify, print } from "./io.ts"
import { printRows } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"

export const config = async (
  io: Io,
  output: OutputOptions,
  { name, value, verb }: ConfigInvocation
): Promise<ExitCode> => {
  const all = await loadConfig(io)
  if (verb === "list") {
    const rows = Object.entries(configSettings).map(([each, { help }]) => ({
      name: each,
      value: all.settings[settingName(each)] ?? null,
      description: help
    }))
    await printRows(io, rows, output, { columns: ["name", "value", "description"], id: "name" })
    return exit.ok
  }
  const setting = settingName(name)
  if (verb === "get") {
    const current = all.settings[setting]
    if (current === undefined) throw new Failure(exit.notFound, `'${setting}' is not set.`)
    await print(io, current)
    return exit.ok
  }
  if (verb === "set") {
    const problem = configSettings[setting].check(value)
    if (problem !== undefined) throw usage(`${setting} ${problem}.`)
    await changeConfig(io, (latest) => ({ ...latest, settings: { ...latest.settings, [setting]: value } }))
    return exit.ok
  }
  await changeConfig(io, (latest) => {
    const { [setting]: _, ...settings } = latest.settings
    return { ...latest, settings }
  })
  return exit.ok
}

const aliasName = /^[a-z][a-z0-9-]{0,31}$/u

export const alias = async (
  io: Io,
  output: OutputOptions,
  { name, expansion, verb }: AliasInvocation,
  commands: ReadonlySet<string>
): Promise<ExitCode> => {
  const all: Config = await loadConfig(io)
  if (verb === "list") {
    const rows = Object.entries(all.aliases).map(([each, line]) => ({ name: each, command: line }))
    await printRows(io, rows, output, { columns: ["name", "command"], id: "name" })
    return exit.ok
  }
  if (verb === "remove") {
    if (!Object.hasOwn(all.aliases, name))
      throw new Failure(exit.notFound, `There is no alias '${name}'. Run 'orgplane alias list'.`)
    await changeConfig(io, (latest) => {
      const { [name]: _, ...aliases } = latest.aliases
      return { ...latest, aliases }
    })
    return exit.ok
  }
  if (!aliasName.test(name))
    throw usage("An alias must be 1 to 32 lowercase letters, digits or dashes, and start with a letter.")
  if (commands.has(name)) throw usage(`'${name}' is a command. Choose another name for the alias.`)
  const [first = ""] = wordsOf(expansion)
  if (!commands.has(first))
    throw usage(`'${first}' is not a command. An alias starts with a command, such as 'plugins list'.`)
  await changeConfig(io, (latest) => ({ ...latest, aliases: { ...latest.aliases, [name]: expansion } }))
  if (!output.quiet && io.err.isTerminal) await notify(io, `'orgplane ${name}' now runs 'orgplane ${expansion}'.`)
  return exit.ok
}
