/** Generates the table with which the console shows a request as a command of the CLI. */
import { replacedOperations } from "../../packages/cli/src/extra-commands.ts"
import type { CommandTable, OperationRow } from "../../packages/cli/src/command-table.ts"
import { overrides } from "../../packages/cli/src/overrides/index.ts"
import type { CommandDifference } from "../../packages/console/src/app/api/command-difference.ts"
import { kebab } from "./kebab.ts"
import { contract, isOfMachines } from "./reflect.ts"

/** The flags that are not named like their fields, and `null` for fields that only a JSON body can set. */
const flagsOf = (row: OperationRow): Readonly<Record<string, string | null>> => {
  const flags = new Map<string, string | null>()
  for (const { file, member, name, pairs } of row.flags) {
    // Another flag for the same field takes a name instead of an ID.
    if (flags.has(member)) continue
    flags.set(member, file === undefined && pairs === undefined ? name : null)
  }
  const without = [
    ...(row.json ?? []).map(({ member }) => member),
    ...Object.keys(row.constants ?? {}),
    ...(overrides[row.id]?.hide ?? [])
  ]
  for (const member of without) flags.set(member, null)
  return Object.fromEntries([...flags].filter(([member, name]) => name !== kebab(member)))
}

/** `null` if no command sends only this request. */
const differenceOf = (id: string, command: string, row: OperationRow): CommandDifference | null => {
  const override = overrides[id] ?? {}
  // `--wait` polls, and changes the request.
  if (replacedOperations.has(id) || override.progress === "apply") return null
  const [group = "", name = ""] = id.split(".")
  const flags = flagsOf(row)
  return {
    ...(command === `${kebab(group)} ${kebab(name)}` ? {} : { command }),
    ...(row.arguments === undefined ? {} : { arguments: row.arguments.map(({ member }) => member) }),
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    ...(row.flatten === undefined ? {} : { flatten: row.flatten }),
    ...(override.confirm !== undefined && row.body === true ? { confirms: true as const } : {}),
    ...(override.archive === true ? { archive: true as const } : {})
  }
}

/** The generated files of the console, by path from the root of the repository. */
export const consoleFiles = (table: CommandTable): Readonly<Record<string, string>> => {
  const rows = new Map(
    table.flatMap(({ name, operations }) => operations.map((row) => [row.id, { command: `${name} ${row.name}`, row }]))
  )
  const differences = contract()
    .groups.flatMap(({ operations }) => operations)
    .filter((operation) => !isOfMachines(operation))
    .flatMap(({ operationId: id }) => {
      const entry = rows.get(id)
      const difference = entry === undefined ? null : differenceOf(id, entry.command, entry.row)
      return difference !== null && Object.keys(difference).length === 0 ? [] : [[id, difference] as const]
    })
  const lines = differences.map(([id, difference]) => `  ${JSON.stringify(id)}: ${JSON.stringify(difference)}`)
  return {
    "packages/console/src/app/generated/commands.ts": `// Written by \`pnpm codegen\`; change the contract or the overrides of the CLI instead.
import type { CommandDifference } from "../api/command-difference.ts"

/** By ID of the operation. Operations whose command has the usual form are omitted. */
export const differences: Readonly<Record<string, CommandDifference | null>> = {
${lines.join(",\n")}
}
`
  }
}
