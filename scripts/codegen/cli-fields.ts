/** The fields that `--json` can select from the response of each operation, for completion and messages. */
import * as SchemaAST from "effect/SchemaAST"
import { overrides } from "../../packages/cli/src/overrides/index.ts"
import { contract, isOfMachines, isStreamed, type Operation } from "./reflect.ts"

type Property = readonly [name: string, ast: SchemaAST.AST]

/** The members of an object, or of every object of a union. */
const propertiesOf = (ast: SchemaAST.AST | undefined): ReadonlyArray<Property> => {
  if (ast === undefined) return []
  if (SchemaAST.isSuspend(ast)) return propertiesOf(ast.thunk())
  if (SchemaAST.isUnion(ast)) return [...new Map(ast.types.flatMap(propertiesOf)).entries()]
  return SchemaAST.isObjects(ast)
    ? ast.propertySignatures.map((property) => [String(property.name), property.type] as const)
    : []
}

const memberOf = (ast: SchemaAST.AST | undefined, name: string) =>
  propertiesOf(ast).find(([each]) => each === name)?.[1]

const rowOf = (list: SchemaAST.AST | undefined) =>
  list !== undefined && SchemaAST.isArrays(list) ? list.rest[0] : undefined

/** The same object that the CLI selects from: a row of a list, or the object in the envelope of a response. */
const selectedOf = ({ operationId, paged, success }: Operation): SchemaAST.AST | undefined => {
  const body = success.find(({ ast }) => ast !== undefined)?.ast
  const rows = paged ? "items" : overrides[operationId]?.rows
  if (rows !== undefined) return rowOf(rows.split(".").reduce<SchemaAST.AST | undefined>(memberOf, body))
  const [only, ...others] = propertiesOf(body).filter(([name]) => name !== "ok")
  return only !== undefined && others.length === 0 && propertiesOf(only[1]).length > 0 ? only[1] : body
}

/** By ID of the operation. Operations without fields are absent. */
export const responseFields = (): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    contract()
      .groups.flatMap(({ operations }) => operations)
      .filter((operation) => !isOfMachines(operation) && !isStreamed(operation) && operation.access.kind !== "state")
      .map((operation) => [operation.operationId, propertiesOf(selectedOf(operation)).map(([name]) => name)] as const)
      .filter(([, fields]) => fields.length > 0)
  )
