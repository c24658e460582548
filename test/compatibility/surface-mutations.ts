/** Single changes of a surface, each of which the compatibility gate must refuse or accept. */
import type { JsonSchema } from "../../scripts/compatibility/schemas.ts"
import type { CommandSurface, OperationSurface, Surface } from "../../scripts/compatibility/surface.ts"

export interface SurfaceMutation {
  /** The changed place and the change, for the report of a failure. */
  readonly name: string
  readonly breaks: boolean
  /** The released surface without what the change does not concern. */
  readonly before: Surface
  readonly after: Surface
}

const empty: Surface = {
  operations: {},
  schemas: {},
  commands: {},
  exitCodes: {},
  variables: [],
  variableDefaults: {},
  exports: {},
  options: {},
  program: { commands: [], options: [] },
  metrics: {}
}

const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text: JsonSchema = { type: "string" }

const operationMutations = (
  { schemas }: Surface,
  id: string,
  old: OperationSurface
): ReadonlyArray<SurfaceMutation> => {
  const before = { ...empty, schemas, operations: { [id]: old } }
  const change = (name: string, breaks: boolean, changes: Partial<OperationSurface>): SurfaceMutation => ({
    name: `${id}: ${name}`,
    breaks,
    before,
    after: { ...before, operations: { [id]: { ...old, ...changes } } }
  })
  return [
    { name: `${id}: removed`, breaks: true, before, after: { ...before, operations: {} } },
    change("another path", true, { path: `${old.path}/moved` }),
    change("another method", true, { method: old.method === "GET" ? "POST" : "GET" }),
    change("access for nobody", true, { access: "nobody", permissions: [] }),
    ...(old.permissions.length === 0
      ? []
      : [change("another permission", true, { permissions: [...old.permissions, "another:write"] })]),
    change("a plan is required", true, { plan: "another" }),
    change("a required parameter", true, {
      parameters: { ...old.parameters, "query another": { required: true, schema: text } }
    }),
    change("an optional parameter", false, {
      parameters: { ...old.parameters, "query another": { required: false, schema: text } }
    }),
    change("public access", false, { access: "public", permissions: [] }),
    change("another error", false, { errors: [...old.errors, "409 another_error"] }),
    ...Object.entries(old.parameters).flatMap(([name, parameter]) => [
      change(`parameter ${name} removed`, true, { parameters: without(old.parameters, name) }),
      ...(parameter.required
        ? []
        : [
            change(`parameter ${name} required`, true, {
              parameters: { ...old.parameters, [name]: { ...parameter, required: true } }
            })
          ])
    ]),
    ...Object.keys(old.responses).map((name) =>
      change(`response ${name} removed`, true, { responses: without(old.responses, name) })
    ),
    ...old.errors.map((error) =>
      change(`error ${error} removed`, true, { errors: old.errors.filter((each) => each !== error) })
    )
  ]
}

const commandMutations = (id: string, old: CommandSurface): ReadonlyArray<SurfaceMutation> => {
  const before = { ...empty, commands: { [id]: old } }
  const change = (name: string, breaks: boolean, changes: Partial<CommandSurface>): SurfaceMutation => ({
    name: `orgplane ${id}: ${name}`,
    breaks,
    before,
    after: { ...before, commands: { [id]: { ...old, ...changes } } }
  })
  return [
    { name: `orgplane ${id}: removed`, breaks: true, before, after: empty },
    change("a required argument", true, { arguments: [...old.arguments, { name: "another", required: true }] }),
    change("an optional argument", false, { arguments: [...old.arguments, { name: "another", required: false }] }),
    change("another alias", false, { aliases: [...old.aliases, "another"] }),
    change("an optional flag", false, { flags: { ...old.flags, another: { type: "boolean" } } }),
    change("a required flag", true, { flags: { ...old.flags, another: { type: "string", required: true } } }),
    ...old.aliases.map((alias) =>
      change(`alias ${alias} removed`, true, { aliases: old.aliases.filter((each) => each !== alias) })
    ),
    ...Object.entries(old.flags).flatMap(([flag, before]) => [
      change(`--${flag} removed`, true, { flags: without(old.flags, flag) }),
      change(`--${flag} renamed`, true, { flags: { ...without(old.flags, flag), [`${flag}-renamed`]: before } }),
      change(`--${flag} has another type`, true, { flags: { ...old.flags, [flag]: { ...before, type: "another" } } }),
      ...(before.required === true
        ? []
        : [change(`--${flag} required`, true, { flags: { ...old.flags, [flag]: { ...before, required: true } } })])
    ]),
    ...old.fields.map((field) =>
      change(`field ${field} removed`, true, { fields: old.fields.filter((each) => each !== field) })
    )
  ]
}

/** A response may have any value in such a field, so a type restricts it without breaking its readers. */
const isAnyValue = (schema: unknown): boolean =>
  isSchema(schema) &&
  (Object.keys(schema).length === 0 || (Array.isArray(schema["anyOf"]) && schema["anyOf"].some(isAnyValue)))

const componentPrefix = "#/components/schemas/"

/** The components that the schemas of operations refer to, directly or through others. */
const referencedComponents = (surface: Surface, roots: ReadonlyArray<unknown>): ReadonlySet<string> => {
  const result = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each)
    if (!isSchema(value)) return
    const ref = value["$ref"]
    if (typeof ref === "string") {
      const name = ref.slice(componentPrefix.length)
      if (result.has(name)) return
      result.add(name)
      visit(surface.schemas[name])
    }
    for (const each of Object.values(value)) visit(each)
  }
  visit(roots)
  return result
}

const componentMutations = (
  surface: Surface,
  name: string,
  use: { readonly request: boolean; readonly response: boolean }
): ReadonlyArray<SurfaceMutation> => {
  const schema = surface.schemas[name] ?? {}
  const properties = schema["properties"]
  if (!isSchema(properties)) return []
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : []
  const content = { "application/json": { $ref: `${componentPrefix}${name}` } }
  const operation: OperationSurface = {
    method: "POST",
    path: "/",
    access: "public",
    permissions: [],
    parameters: {},
    ...(use.request ? { body: { required: true, content } } : {}),
    responses: use.response ? { "200 application/json": content["application/json"] } : {},
    errors: []
  }
  const before = { ...empty, schemas: surface.schemas, operations: { [name]: operation } }
  const change = (what: string, breaks: boolean, changes: JsonSchema): SurfaceMutation => ({
    name: `${name}: ${what}`,
    breaks,
    before,
    after: { ...before, schemas: { ...surface.schemas, [name]: { ...schema, ...changes } } }
  })
  return [
    change("an optional field", false, { properties: { ...properties, another: text } }),
    change("a required field", use.request, {
      properties: { ...properties, another: text },
      required: [...required, "another"]
    }),
    ...Object.keys(properties).flatMap((field) => [
      change(`${field} removed`, true, {
        properties: Object.fromEntries(Object.entries(properties).filter(([each]) => each !== field)),
        required: required.filter((each) => each !== field)
      }),
      change(`${field} of another type`, use.request || !isAnyValue(properties[field]), {
        properties: { ...properties, [field]: { type: "another" } }
      }),
      required.includes(field)
        ? change(`${field} optional`, use.response, { required: required.filter((each) => each !== field) })
        : change(`${field} required`, use.request, { required: [...required, field] })
    ])
  ]
}

/** Single changes of every operation, command and component of a surface. */
export const surfaceMutations = (surface: Surface): ReadonlyArray<SurfaceMutation> => {
  const operations = Object.values(surface.operations)
  const requests = referencedComponents(surface, [
    operations.map(({ body }) => Object.values(body?.content ?? {})),
    operations.map(({ parameters }) => Object.values(parameters).map((each) => each.schema))
  ])
  const responses = referencedComponents(
    surface,
    operations.map((each) => Object.values(each.responses))
  )
  return [
    ...Object.entries(surface.operations).flatMap(([id, old]) => operationMutations(surface, id, old)),
    ...Object.entries(surface.commands).flatMap(([id, old]) => commandMutations(id, old)),
    ...[...new Set([...requests, ...responses])].flatMap((name) =>
      componentMutations(surface, name, { request: requests.has(name), response: responses.has(name) })
    )
  ]
}
