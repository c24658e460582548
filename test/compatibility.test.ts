/** The gate that refuses changes which break users of the last release. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lastSurface } from "../scripts/compatibility/check.ts"
import { compareSurfaces, refusals } from "../scripts/compatibility/compare.ts"
import { type JsonSchema, schemaComparison } from "../scripts/compatibility/schemas.ts"
import type { CommandSurface, OperationSurface, Surface } from "../scripts/compatibility/surface.ts"
import { printSurface } from "../scripts/compatibility/surface.ts"
import { surfaceMutations } from "./compatibility/surface-mutations.ts"

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: Record<string, JsonSchema>, required: ReadonlyArray<string>): JsonSchema => ({
  type: "object",
  properties,
  required
})

const create: OperationSurface = {
  method: "POST",
  path: "/v1/notes",
  access: "permission",
  permissions: ["notes:write"],
  parameters: { "query notify": { required: false, schema: { type: "boolean" } } },
  body: { required: true, content: { "application/json": ref("CreateNote") } },
  responses: { "201 application/json": object({ item: ref("Note") }, ["item"]) },
  responseHeaders: ["201 etag"],
  errors: ["404 folder_not_found", "409 note_exists"]
}
const list: CommandSurface = {
  aliases: ["ls"],
  arguments: [{ name: "folder", required: false }],
  flags: {
    limit: { type: "integer", default: "50" },
    color: { type: "choice", values: ["red", "green"] }
  },
  fields: ["id", "text"]
}
const released: Surface = {
  operations: { "notes.create": create },
  schemas: {
    CreateNote: object(
      {
        text: { type: "string", maxLength: 100 },
        color: { type: "string", enum: ["red", "green"], "x-default": "red" },
        tags: { type: "array", items: { type: "string" } }
      },
      ["text"]
    ),
    Note: object(
      {
        id: { type: "string" },
        text: { type: "string" },
        kind: { type: "string", enum: ["note"] },
        state: { type: "string", enum: ["open", "done"] },
        parent: { anyOf: [ref("Note"), { type: "null" }] }
      },
      ["id", "text", "kind", "state", "parent"]
    )
  },
  commands: { "notes list": list },
  exitCodes: { ok: 0, usage: 2 },
  variables: ["ORGPLANE_PORT"],
  variableDefaults: { ORGPLANE_PORT: "8787" },
  exports: { "@orgplane/server": ["ControlPlane", "toNodeHandler"] },
  options: { database: "required", hosts: "optional" },
  program: { commands: ["start", "backup"], options: ["--json", "backup --to"] },
  metrics: { orgplane_notes_total: { type: "counter", labels: ["color"] } }
}

const withOperation = (changes: Partial<OperationSurface>): Surface => ({
  ...released,
  operations: { "notes.create": { ...create, ...changes } }
})
const withSchema = (name: string, change: (schema: JsonSchema) => JsonSchema): Surface => ({
  ...released,
  schemas: { ...released.schemas, [name]: change(released.schemas[name] ?? {}) }
})
const withProperty = (name: string, property: string, schema: JsonSchema | undefined): Surface =>
  withSchema(name, (old) => {
    const { [property]: _, ...rest } = old["properties"] as Record<string, JsonSchema>
    return { ...old, properties: schema === undefined ? rest : { ...rest, [property]: schema } }
  })
const withCommand = (changes: Partial<CommandSurface>): Surface => ({
  ...released,
  commands: { "notes list": { ...list, ...changes } }
})
const ids = (surface: Surface) => compareSurfaces(released, surface).map(({ id, problem }) => `${id}: ${problem}`)

const breaking: ReadonlyArray<readonly [name: string, surface: Surface, expected: string]> = [
  ["an operation is removed", { ...released, operations: {} }, "notes.create: The operation was removed."],
  ["a path changes", withOperation({ path: "/v2/notes" }), "notes.create: POST /v1/notes is now POST /v2/notes."],
  ["a method changes", withOperation({ method: "PUT" }), "notes.create: POST /v1/notes is now PUT /v1/notes."],
  [
    "a permission is raised",
    withOperation({ permissions: ["notes:write", "notes:manage"] }),
    "notes.create: The access changed from permission notes:write to permission notes:write and notes:manage."
  ],
  [
    "only owners may call an operation",
    withOperation({ access: "owner", permissions: [] }),
    "notes.create: The access changed from permission notes:write to owner."
  ],
  ["a plan is required", withOperation({ plan: "sso" }), "notes.create: It now requires a plan with sso."],
  [
    "a parameter is removed",
    withOperation({ parameters: {} }),
    "notes.create query notify: The parameter was removed."
  ],
  [
    "a required parameter is added",
    withOperation({ parameters: { ...create.parameters, "query at": { required: true, schema: { type: "string" } } } }),
    "notes.create query at: A required parameter was added."
  ],
  [
    "an error code is removed",
    withOperation({ errors: ["409 note_exists"] }),
    "notes.create: The error 404 folder_not_found was removed."
  ],
  [
    "a status changes",
    withOperation({ responses: { "200 application/json": object({ item: ref("Note") }, ["item"]) } }),
    "notes.create: The response 201 application/json was removed."
  ],
  [
    "a required request field is added",
    withSchema("CreateNote", (old) => ({
      ...old,
      properties: { ...(old["properties"] as object), folder: { type: "string" } },
      required: ["text", "folder"]
    })),
    "CreateNote.folder: A required request field was added."
  ],
  [
    "a request field becomes required",
    withSchema("CreateNote", (old) => ({ ...old, required: ["text", "color"] })),
    "CreateNote.color: The request field was optional and is now required."
  ],
  [
    "a value of a request is no longer accepted",
    withProperty("CreateNote", "color", { type: "string", enum: ["red"] }),
    "CreateNote.color: The value `green` is no longer accepted."
  ],
  [
    "a limit of a request is lowered",
    withProperty("CreateNote", "text", { type: "string", maxLength: 50 }),
    "CreateNote.text: The maximum length changed from 100 to 50."
  ],
  [
    "a type of a request changes",
    withProperty("CreateNote", "tags", { type: "string" }),
    "CreateNote.tags: The type changed from array to string."
  ],
  [
    "a response field is removed",
    withProperty("Note", "text", undefined),
    "Note.text: The response field was removed."
  ],
  [
    "a response field becomes optional",
    withSchema("Note", (old) => ({ ...old, required: ["id", "kind", "state", "parent"] })),
    "Note.text: The response field was always present and is now optional."
  ],
  [
    "a response field becomes nullable",
    withProperty("Note", "text", { anyOf: [{ type: "string" }, { type: "null" }] }),
    "Note.text: The response can now have a value of type null."
  ],
  [
    "a constant of a response gets another value",
    withProperty("Note", "kind", { type: "string", enum: ["note", "list"] }),
    "Note.kind: The response field was always `note` and can now be `list`."
  ],
  [
    "a type of a response changes",
    withProperty("Note", "id", { type: "integer" }),
    "Note.id: The type changed from string to integer."
  ],
  ["a command is removed", { ...released, commands: {} }, "orgplane notes list: The command was removed."],
  ["an alias is removed", withCommand({ aliases: [] }), "orgplane notes list: The alias ls was removed."],
  [
    "an argument becomes required",
    withCommand({ arguments: [{ name: "folder", required: true }] }),
    "orgplane notes list: The argument <folder> is now required."
  ],
  [
    "a flag is removed",
    withCommand({ flags: { limit: { type: "integer", default: "50" } } }),
    "orgplane notes list --color: The flag was removed."
  ],
  [
    "a flag becomes required",
    withCommand({ flags: { ...list.flags, limit: { type: "integer", default: "50", required: true } } }),
    "orgplane notes list --limit: The flag is now required."
  ],
  [
    "a default changes",
    withCommand({ flags: { ...list.flags, limit: { type: "integer", default: "20" } } }),
    "orgplane notes list --limit: Its default changed from 50 to 20."
  ],
  [
    "a value of a flag is no longer accepted",
    withCommand({ flags: { ...list.flags, color: { type: "choice", values: ["red"] } } }),
    "orgplane notes list --color: The value green is no longer accepted."
  ],
  [
    "a field cannot be selected",
    withCommand({ fields: ["id"] }),
    "orgplane notes list: --json can no longer select text."
  ],
  ["an exit code changes", { ...released, exitCodes: { ok: 0, usage: 3 } }, "exit code usage: It changed from 2 to 3."],
  [
    "an environment variable is removed",
    { ...released, variables: [] },
    "ORGPLANE_PORT: The environment variable was removed."
  ],
  [
    "a default of an environment variable changes",
    { ...released, variableDefaults: { ORGPLANE_PORT: "8080" } },
    "ORGPLANE_PORT: Its default changed from 8787 to 8080."
  ],
  [
    "a default of a request changes",
    withProperty("CreateNote", "color", { type: "string", enum: ["red", "green"], "x-default": "green" }),
    "CreateNote.color: The default changed from red to green."
  ],
  ["an entry point is removed", { ...released, exports: {} }, "@orgplane/server: The entry point was removed."],
  [
    "an export is removed",
    { ...released, exports: { "@orgplane/server": ["ControlPlane"] } },
    "@orgplane/server toNodeHandler: The export was removed."
  ],
  [
    "an option of the embedded server is removed",
    { ...released, options: { database: "required" } },
    "ControlPlaneOptions.hosts: The option was removed."
  ],
  [
    "an option of the embedded server becomes required",
    { ...released, options: { database: "required", hosts: "required" } },
    "ControlPlaneOptions.hosts: The option is now required."
  ],
  [
    "a required option of the embedded server is added",
    { ...released, options: { ...released.options, region: "required" } },
    "ControlPlaneOptions.region: A required option was added."
  ],
  [
    "a command of the server's program is removed",
    { ...released, program: { ...released.program, commands: ["start"] } },
    "orgplane-server backup: The command was removed."
  ],
  [
    "an option of the server's program is removed",
    { ...released, program: { ...released.program, options: ["--json"] } },
    "orgplane-server backup --to: The option was removed."
  ],
  [
    "a header of a response is removed",
    withOperation({ responseHeaders: [] }),
    "notes.create: The response header 201 etag was removed."
  ],
  ["a metric is removed", { ...released, metrics: {} }, "orgplane_notes_total: The metric was removed."],
  [
    "a label is removed",
    { ...released, metrics: { orgplane_notes_total: { type: "counter", labels: [] } } },
    "orgplane_notes_total: The label color was removed."
  ]
]

const additive: ReadonlyArray<readonly [name: string, surface: Surface]> = [
  ["an operation", { ...released, operations: { ...released.operations, "notes.get": { ...create, method: "GET" } } }],
  ["an optional request field", withProperty("CreateNote", "folder", { type: "string" })],
  ["a value of a request", withProperty("CreateNote", "color", { type: "string", enum: ["red", "green", "blue"] })],
  ["a higher limit", withProperty("CreateNote", "text", { type: "string", maxLength: 200 })],
  [
    "null in a request",
    withProperty("CreateNote", "tags", { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] })
  ],
  ["a response field", withProperty("Note", "createdAt", { type: "string" })],
  [
    "a value of an enumeration in a response",
    withProperty("Note", "state", { type: "string", enum: ["open", "done", "late"] })
  ],
  ["an error code", withOperation({ errors: [...create.errors, "429 rate_limited"] })],
  [
    "an optional parameter",
    withOperation({ parameters: { ...create.parameters, "query at": { required: false, schema: { type: "string" } } } })
  ],
  ["access without a credential", withOperation({ access: "public", permissions: [] })],
  [
    "a command, a flag and an alias",
    { ...withCommand({ aliases: ["ls", "l"], flags: { ...list.flags, all: { type: "boolean" } } }) }
  ],
  ["an export", { ...released, exports: { "@orgplane/server": ["ControlPlane", "Peer", "toNodeHandler"] } }],
  ["an optional option", { ...released, options: { ...released.options, region: "optional" } }],
  [
    "a command of the program",
    { ...released, program: { ...released.program, commands: ["start", "backup", "move"] } }
  ],
  ["an environment variable", { ...released, variables: ["ORGPLANE_HOST", "ORGPLANE_PORT"] }],
  ["a label", { ...released, metrics: { orgplane_notes_total: { type: "counter", labels: ["color", "folder"] } } }]
]

describe("the compatibility gate", () => {
  it.each(breaking)("refuses that %s", (_, surface, expected) => {
    expect(ids(surface)).toContain(expected)
  })

  it.each(additive)("accepts the addition of %s", (_, surface) => {
    expect(ids(surface)).toEqual([])
  })

  it("accepts the surface of the last release unchanged", () => {
    const { surface } = lastSurface()
    expect(compareSurfaces(surface, surface)).toEqual([])
  })

  const broken = compareSurfaces(released, withProperty("Note", "text", undefined))
  const major = (note: string) => ({ file: "a.md", text: `---\n"@orgplane/server": major\n---\n\nNotes.\n\n${note}\n` })

  it("accepts a break that the migration note of a major changeset names", () => {
    const note = "Migration: read `Note.text` from `notes.text` instead."
    expect(refusals(released, broken, [major(note)], "2026-11-26")).toEqual([])
  })

  it("refuses a break without a major changeset, or with a note that does not name it", () => {
    const minor = { file: "a.md", text: major("Migration: `Note.text`.").text.replace("major", "minor") }
    for (const changesets of [[], [minor], [major("Migration: none.")], [major("`Note.text` is gone.")]]) {
      expect(refusals(released, broken, changesets, "2026-11-26").map(({ sentence }) => sentence)).toEqual([
        'Note.text: The response field was removed. Restore it, and deprecate it with a sunset date. If the break is intended, add a changeset with "major" for @orgplane/server whose text has a paragraph "Migration:" that names `Note.text`.'
      ])
    }
  })

  it("refuses a break of the CLI that only a major changeset of the server names", () => {
    const brokenCommand = compareSurfaces(released, { ...released, commands: {} })
    const note = "Migration: do not call `orgplane notes list`."
    expect(refusals(released, brokenCommand, [major(note)], "2026-11-26").map(({ sentence }) => sentence)).toEqual([
      'orgplane notes list: The command was removed. Restore it, or keep its name as an alias. If the break is intended, add a changeset with "major" for @orgplane/cli whose text has a paragraph "Migration:" that names `orgplane notes list`.'
    ])
    const ofCli = { file: "b.md", text: major(note).text.replace("/server", "/cli") }
    expect(refusals(released, brokenCommand, [ofCli], "2026-11-26")).toEqual([])
  })

  it("refuses each breaking change of the last release's surface, and accepts each addition", () => {
    const mutations = surfaceMutations(lastSurface().surface)
    fc.assert(
      fc.property(fc.constantFrom(...mutations), ({ after, before, breaks, name }) => {
        expect([name, compareSurfaces(before, after).length > 0]).toEqual([name, breaks])
      }),
      { numRuns: 1000, seed: 18 }
    )
  })

  it("refuses the removal of a deprecated operation before its sunset, even with a major changeset", () => {
    const deprecated = withOperation({ deprecated: { since: "2026-11-01", sunset: "2027-05-01" } })
    const removed = compareSurfaces(deprecated, { ...released, operations: {} })
    const changesets = [major("Migration: replace `notes.create`.")]
    expect(refusals(deprecated, removed, changesets, "2027-04-30").map(({ sentence }) => sentence)).toEqual([
      "notes.create: The operation was removed. It was announced to work until 2027-05-01. Restore it."
    ])
    expect(refusals(deprecated, removed, changesets, "2027-05-01")).toEqual([])
  })

  it("ends with exit code 1 and a sentence for each break", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orgplane-surface-"))
    const { surface, version } = lastSurface()
    const { "plugins.create": _, ...operations } = surface.operations
    const file = join(folder, "surface.json")
    writeFileSync(file, printSurface({ ...surface, operations }))
    const script = join(import.meta.dirname, "../scripts/compatibility/check.ts")
    const result = await promisify(execFile)(process.execPath, [script, file]).catch((error: unknown) => error)
    rmSync(folder, { recursive: true })
    expect(result).toMatchObject({
      code: 1,
      stdout: `1 breaking change since ${version}.\n`,
      stderr: expect.stringMatching(/^plugins\.create: The operation was removed\. Restore it, and .*\n$/u)
    })
  })
})

/** A schema of an object with nested objects, lists, unions and enumerations. */
const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constant("string"), maxLength: fc.integer({ min: 10, max: 99 }) }),
    fc.constant({ type: "boolean" }),
    fc.constant({ type: "string", enum: ["a", "b", "c"] }),
    tie("schema").map((items) => ({ type: "array", items })),
    tie("object")
  ),
  object: fc
    .dictionary(fc.stringMatching(/^[a-z]{1,4}$/u), tie("schema"), { minKeys: 1, maxKeys: 4 })
    .chain((properties) =>
      fc.subarray(Object.keys(properties)).map((required) => ({ type: "object", properties, required }))
    )
})).object

interface Mutation {
  readonly name: string
  readonly breaks: { readonly request: boolean; readonly response: boolean }
  readonly apply: (schema: JsonSchema) => JsonSchema | undefined
}

const isRecord = (value: unknown): value is Record<string, JsonSchema> => typeof value === "object" && value !== null
const requiredOf = (schema: JsonSchema) =>
  Array.isArray(schema["required"]) ? (schema["required"] as Array<string>) : []
const onObject =
  (change: (properties: Record<string, JsonSchema>, required: ReadonlyArray<string>) => JsonSchema | undefined) =>
  (schema: JsonSchema) =>
    isRecord(schema["properties"]) ? change(schema["properties"], requiredOf(schema)) : undefined

const mutations: ReadonlyArray<Mutation> = [
  {
    name: "removes a field",
    breaks: { request: true, response: true },
    apply: onObject((properties, required) => {
      const [first = "", ...rest] = Object.keys(properties)
      return object(
        Object.fromEntries(rest.map((name) => [name, properties[name] ?? {}])),
        required.filter((name) => name !== first)
      )
    })
  },
  {
    name: "adds an optional field",
    breaks: { request: false, response: false },
    apply: onObject((properties, required) => object({ ...properties, another: { type: "string" } }, required))
  },
  {
    name: "adds a required field",
    breaks: { request: true, response: false },
    apply: onObject((properties, required) =>
      object({ ...properties, another: { type: "string" } }, [...required, "another"])
    )
  },
  {
    name: "makes a field optional",
    breaks: { request: false, response: true },
    apply: onObject((properties, required) =>
      required.length === 0 ? undefined : object(properties, required.slice(1))
    )
  },
  {
    name: "makes a field required",
    breaks: { request: true, response: false },
    apply: onObject((properties, required) => {
      const optional = Object.keys(properties).find((name) => !required.includes(name))
      return optional === undefined ? undefined : object(properties, [...required, optional])
    })
  },
  {
    name: "allows null",
    breaks: { request: false, response: true },
    apply: (schema) => ({ anyOf: [schema, { type: "null" }] })
  },
  {
    name: "changes the type",
    breaks: { request: true, response: true },
    apply: () => ({ type: "integer" })
  },
  {
    name: "removes a value",
    breaks: { request: true, response: false },
    apply: (schema) => (schema["enum"] === undefined ? undefined : { ...schema, enum: ["a", "b"] })
  },
  {
    name: "adds a value",
    breaks: { request: false, response: false },
    apply: (schema) => (schema["enum"] === undefined ? undefined : { ...schema, enum: ["a", "b", "c", "d"] })
  },
  {
    name: "lowers a maximum",
    breaks: { request: true, response: false },
    apply: (schema) => (schema["maxLength"] === undefined ? undefined : { ...schema, maxLength: 9 })
  },
  {
    name: "raises a maximum",
    breaks: { request: false, response: false },
    apply: (schema) => (schema["maxLength"] === undefined ? undefined : { ...schema, maxLength: 100 })
  }
]

/** All results of a mutation at one place of a schema. */
const mutants = (schema: JsonSchema, { apply }: Mutation): ReadonlyArray<JsonSchema> => {
  const here = apply(schema)
  const { items, properties } = schema
  return [
    ...(here === undefined ? [] : [here]),
    ...(isRecord(items) ? mutants(items, { apply } as Mutation).map((next) => ({ ...schema, items: next })) : []),
    ...(isRecord(properties)
      ? Object.entries(properties).flatMap(([name, property]) =>
          mutants(property, { apply } as Mutation).map((next) => ({
            ...schema,
            properties: { ...properties, [name]: next }
          }))
        )
      : [])
  ]
}

describe("the comparison of schemas", () => {
  it.each(mutations)("classifies each mutation of a generated schema that $name", (mutation) => {
    fc.assert(
      fc.property(schemas, (schema) => {
        for (const mutant of mutants(schema, mutation)) {
          for (const direction of ["request", "response"] as const) {
            const before = { Root: schema, Again: { anyOf: [ref("Root"), { type: "null" }] } }
            const after = { ...before, Root: mutant }
            for (const name of ["Root", "Again"]) {
              const { compare } = schemaComparison(before, after)
              const isNull = name === "Again" && mutation.name === "allows null" && "anyOf" in mutant
              const expected = isNull ? false : mutation.breaks[direction]
              expect([direction, mutant, compare(ref(name), ref(name), direction, name).length > 0]).toEqual([
                direction,
                mutant,
                expected
              ])
            }
            expect(schemaComparison(before, before).compare(ref("Again"), ref("Again"), direction, "Again")).toEqual([])
          }
        }
      }),
      { numRuns: 60, seed: 7 }
    )
  })
})
