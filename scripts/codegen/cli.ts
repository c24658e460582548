/** Generates the CLI's command table from the contract: the name, arguments, flags and request of each command. */
import * as SchemaAST from "effect/SchemaAST"
import { globalNames } from "../../packages/cli/src/global-flag-names.ts"
import type { Override } from "../../packages/cli/src/override.ts"
import { branches, defaultFlags, groupNames, overrides } from "../../packages/cli/src/overrides/index.ts"
import { rootHelp } from "../../packages/cli/src/parse.ts"
import type { CommandTable, FlagRow, JsonRow, OperationRow } from "../../packages/cli/src/command-table.ts"
import { responseFields } from "./cli-fields.ts"
import { kebab } from "./kebab.ts"
import { contract, isOfMachines, isStreamed, type Member as ContractMember, type Operation } from "./reflect.ts"
import { sectionsOf } from "./sections.ts"

interface Member {
  readonly name: string
  readonly optional: boolean
  readonly ast: SchemaAST.AST
  readonly help: string | undefined
}

const memberOf = ({ ast, description, name, optional }: ContractMember): Member => ({
  name,
  optional,
  ast,
  help: description
})

/** The fields of a nested object, which the reflected contract does not contain. */
const membersOf = (ast: SchemaAST.AST): ReadonlyArray<Member> =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map((property) => ({
        name: String(property.name),
        optional: SchemaAST.isOptional(property.type),
        ast: withoutNull(property.type),
        help: SchemaAST.resolveDescription(property.type)
      }))
    : []

/** A flag sets a nullable field; `null` in `--input` clears it. */
const withoutNull = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (!SchemaAST.isUnion(ast)) return ast
  const types = ast.types.filter((type) => !SchemaAST.isNull(type) && !SchemaAST.isUndefined(type))
  const [only] = types
  return types.length === 1 && only !== undefined ? only : ast
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string | number | boolean> | undefined => {
  const types = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const values = types.flatMap((type) =>
    SchemaAST.isLiteral(type) && typeof type.literal !== "bigint" ? [type.literal] : []
  )
  return values.length === types.length && values.length > 0 ? values : undefined
}

const checksOf = (ast: SchemaAST.AST): ReadonlyArray<{ readonly id?: string; readonly payload?: unknown }> =>
  (ast.checks ?? []).map((check) => (check.annotations?.["representation"] ?? {}) as { id?: string; payload?: unknown })

const boundOf = (ast: SchemaAST.AST): number | undefined => {
  const between = checksOf(ast).find((check) => check.id === "effect/schema/isBetween")?.payload
  return (between as { maximum?: number } | undefined)?.maximum
}

type Kind = Pick<FlagRow, "type" | "values">

const isWord = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast) ? ast.types.every(isWord) : SchemaAST.isLiteral(ast) && typeof ast.literal === "string"

const scalarOf = (ast: SchemaAST.AST): Kind | undefined => {
  const literals = literalsOf(ast)
  if (literals !== undefined) {
    const values = literals.map(String)
    if (values.every((value) => value === "true" || value === "false")) return { type: "boolean" }
    return literals.every((value) => typeof value === "string") ? { type: "enum", values } : undefined
  }
  // Literals or IDs, such as a role: one string on the command line.
  if (SchemaAST.isUnion(ast) && ast.types.every((type) => scalarOf(type)?.type === "string" || isWord(type))) {
    return { type: "string" }
  }
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return { type: "string" }
  if (SchemaAST.isBoolean(ast)) return { type: "boolean" }
  if (SchemaAST.isNumber(ast)) {
    return { type: checksOf(ast).some((check) => check.id === "effect/schema/isInt") ? "integer" : "number" }
  }
  return undefined
}

/** Every user of the machine can read command lines in the process list, so these fields never become flags. */
const secret = /token|secret|password|credential/i

/** The flag of a field; `undefined` for a field that can be set only with `--input`. */
const flagOf = (member: Member, where: "query" | "body", override: Override): FlagRow | undefined => {
  const element = SchemaAST.isArrays(member.ast) && member.ast.elements.length === 0 ? member.ast.rest[0] : undefined
  const flagOverride = override.flags?.[member.name] ?? defaultFlags[member.name]
  if (flagOverride?.pairs === true) {
    const help = flagOverride.help ?? member.help
    return {
      name: flagOverride.name ?? kebab(member.name),
      member: member.name,
      in: where,
      type: "string",
      many: true,
      pairs: true,
      ...(help === undefined ? {} : { help })
    }
  }
  const kind = scalarOf(element ?? member.ast)
  if (kind === undefined || (element !== undefined && kind.type === "boolean")) return undefined
  // A file keeps the secret off the command line, and the expiry of a secret is not secret.
  const isTyped = flagOverride?.file === undefined && flagOverride?.time === undefined
  if (where === "body" && kind.type === "string" && isTyped && secret.test(member.name)) return undefined
  const help = flagOverride?.help ?? member.help
  return {
    name: flagOverride?.name ?? kebab(member.name),
    member: member.name,
    in: where,
    ...kind,
    ...(element === undefined ? {} : { many: true }),
    ...(member.optional || override.defaults?.[member.name] !== undefined ? {} : { required: true }),
    ...(flagOverride?.file === undefined ? {} : { file: flagOverride.file }),
    ...(flagOverride?.time === undefined ? {} : { time: flagOverride.time }),
    ...(help === undefined ? {} : { help }),
    ...(flagOverride?.former === undefined ? {} : { former: flagOverride.former })
  }
}

/** Help for the IDs of objects that have an email address. */
const idHelp: Readonly<Record<string, string>> = {
  orgMembershipId: "ID or email address of the member.",
  invitationId: "ID or email address of the invitation."
}

/** Every operation of the contract as a row. Throws if a command would be ambiguous. */
export const commandTable = (): CommandTable => {
  const operationIds = new Set<string>()
  const table = sectionsOf(contract().groups)
    .flatMap(({ groups, title }) => groups.map((group) => ({ group, section: title })))
    .map(({ group, section }) => ({
      name: groupNames[group.name] ?? kebab(group.name),
      id: group.name,
      section,
      summary: group.description ?? group.title,
      operations: group.operations
        // Code hosts and browsers send these requests, not people.
        .filter((operation) => !isOfMachines(operation) && operation.access.kind !== "state")
        .map((operation) => {
          operationIds.add(operation.operationId)
          return operationRow(operation)
        })
    }))
    .filter(({ operations }) => operations.length > 0)
  for (const id of Object.keys(overrides)) {
    if (!operationIds.has(id)) throw new Error(`cli: there is an override for ${id}, which is not an operation`)
  }
  return validated(table)
}

/** Checks that every parent of a command has a description, and that command names are unique. */
const validated = (table: CommandTable): CommandTable => {
  const groups = new Set(table.map(({ name }) => name))
  const commands = new Set<string>()
  for (const group of table) {
    for (const operation of group.operations) {
      const words = `${group.name} ${operation.name}`
      if (commands.has(words)) throw new Error(`cli: two commands are named ${words}`)
      commands.add(words)
      for (let end = words.lastIndexOf(" "); end > 0; end = words.lastIndexOf(" ", end - 1)) {
        const above = words.slice(0, end)
        if (!groups.has(above) && branches[above] === undefined) throw new Error(`cli: ${above} has no description`)
      }
    }
  }
  for (const branch of Object.keys(branches)) {
    if (![...commands].some((words) => words.startsWith(`${branch} `)))
      throw new Error(`cli: ${branch} has no subcommands`)
    if (commands.has(branch)) throw new Error(`cli: ${branch} is a command and also has subcommands`)
  }
  return table
}

const operationRow = (operation: Operation): OperationRow => {
  const id = operation.operationId
  const override = overrides[id] ?? {}
  const { body: payload, paged } = operation
  const placed = override.arguments ?? []
  const hidden = new Set([...(override.hide ?? []), ...placed.map((argument) => argument.member)])
  const shown = (member: Member) => !hidden.has(member.name) && !(paged && member.name === "limit")
  const query = operation.query.map(memberOf)
  const whole = (payload?.members ?? []).map(memberOf)
  const nested = whole.find((member) => member.name === override.flatten)
  if (override.flatten !== undefined && nested === undefined) throw new Error(`cli: ${id} has no ${override.flatten}`)
  const inner = nested === undefined ? [] : membersOf(nested.ast)
  const body = [...inner, ...whole.filter((member) => member !== nested)]
  for (const { member } of placed) {
    if (![...whole, ...query].some(({ name }) => name === member))
      throw new Error(`cli: ${id} has no query parameter ${member}`)
  }

  const flags: Array<FlagRow> = []
  const json: Array<JsonRow> = []
  const constants: Record<string, string | number | boolean> = {}
  const taken = new Set(globalNames)
  for (const [where, members] of [
    ["query", query],
    ["body", body]
  ] as const) {
    for (const member of members.filter(shown)) {
      const [constant, ...others] = literalsOf(member.ast) ?? []
      if (where === "body" && !member.optional && constant !== undefined && others.length === 0) {
        constants[member.name] = constant
        continue
      }
      const flag = flagOf(member, where, override)
      if (flag === undefined) {
        if (where === "query") throw new Error(`cli: ${id}: the query parameter ${member.name} cannot be a flag`)
        json.push({
          member: member.name,
          ...(member.optional ? {} : { required: true }),
          ...(inner.includes(member) ? { nested: true } : {}),
          ...(member.help === undefined ? {} : { help: member.help })
        })
        continue
      }
      if (taken.has(flag.name))
        throw new Error(`cli: ${id}: --${flag.name} is already in use; rename it in the overrides`)
      taken.add(flag.name)
      flags.push(inner.includes(member) ? { ...flag, nested: true } : flag)
    }
  }
  for (const { help, member, name, names } of override.nameFlags ?? []) {
    if (!query.some((each) => each.name === member)) throw new Error(`cli: ${id} has no query parameter ${member}`)
    if (taken.has(name)) throw new Error(`cli: ${id}: --${name} is already in use; rename it in the overrides`)
    taken.add(name)
    flags.push({ name, member, in: "query", type: "string", help, names })
  }
  const limit = query.find((member) => member.name === "limit")
  const failureStatus = operation.success.find(({ status }) => status >= 400)?.status
  return {
    name: override.command ?? kebab(operation.name),
    id,
    method: operation.method,
    path: operation.path,
    ids: operation.pathParams.map(({ description, name }) => {
      const help = idHelp[name] ?? description
      return {
        name: name === "orgMembershipId" ? "member" : kebab(name),
        member: name,
        ...(help === undefined ? {} : { help })
      }
    }),
    ...(placed.length === 0 ? {} : { arguments: placed }),
    flags,
    ...(json.length === 0 ? {} : { json }),
    ...(Object.keys(constants).length === 0 ? {} : { constants }),
    ...(override.flatten === undefined ? {} : { flatten: override.flatten }),
    ...(payload === null ? {} : { body: true }),
    ...(paged ? { pageMax: (limit === undefined ? undefined : boundOf(limit.ast)) ?? 100 } : {}),
    ...(isStreamed(operation) ? { streams: true as const } : {}),
    ...(operation.idempotency === "none" ? {} : { idempotent: true as const }),
    ...(failureStatus === undefined ? {} : { declaredFailure: failureStatus }),
    ...(operation.access.kind === "public" ? { public: true } : {}),
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description })
  }
}

const notice = "// Written by `pnpm codegen`; change the contract or the overrides instead.\n"

/** The generated files of the CLI, by path from the root of the repository. */
export const cliFiles = async (): Promise<Readonly<Record<string, string>>> => {
  const table = commandTable()
  return {
    "packages/cli/src/generated/commands.ts": `${notice}import type { CommandTable } from "../command-table.ts"\n\nexport const commands: CommandTable = ${JSON.stringify(table, null, 2)}\n`,
    "packages/cli/src/generated/response-fields.ts": `${notice}\n/** The fields of a row or of the object in the response, by ID of the operation. */\nexport const responseFields: Readonly<Record<string, ReadonlyArray<string>>> = ${JSON.stringify(responseFields(), null, 2)}\n`,
    "packages/cli/src/generated/root-help.ts": `${notice}\nexport const rootHelp = ${JSON.stringify(await rootHelp(table))}\n`
  }
}
