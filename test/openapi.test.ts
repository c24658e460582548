import { Ajv2020 } from "ajv/dist/2020.js"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import * as formats from "ajv-formats"
import { describe, expect, it } from "vitest"
import { contract } from "../scripts/codegen/reflect.ts"

type Json = Record<string, unknown>
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Json
}
interface Media {
  readonly content?: Record<string, { readonly schema: Json }>
}
interface Response extends Media {
  readonly description: string
  readonly headers?: Record<string, unknown>
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: Media & { readonly required: boolean }
  readonly responses: Record<string, Response>
  readonly security: ReadonlyArray<Record<string, ReadonlyArray<string>>>
}
interface Document extends Json {
  readonly openapi: string
  readonly info: Json
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly security: ReadonlyArray<unknown>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: Record<"schemas" | "securitySchemes" | "headers", Record<string, Json>>
}

const document = JSON.parse(await readFile(join(import.meta.dirname, "../docs/openapi.json"), "utf8")) as Document
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation }))
)
const contractOperations = contract().groups.flatMap((group) => group.operations)
const at = (operationId: string) => {
  const match = operations.find((operation) => operation.operationId === operationId)
  if (match === undefined) throw new Error(`There is no operation ${operationId}.`)
  return match
}

const limit = (operationId: string) => at(operationId).parameters.find(({ name }) => name === "limit")?.schema
const headers = (operationId: string) =>
  at(operationId)
    .parameters.filter((parameter) => parameter.in === "header")
    .map(({ name }) => name)

/** Every object in the document, with its path. */
const walk = function* (value: unknown, path = "#"): Generator<readonly [path: string, value: Json]> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield [path, value as Json]
  for (const [key, inner] of Object.entries(value)) yield* walk(inner, `${path}/${key}`)
}
const everything = [...walk(document)]
const refs = everything.flatMap(([, value]) => (typeof value["$ref"] === "string" ? [value["$ref"]] : []))

describe("the OpenAPI document", () => {
  it("has OpenAPI version 3.1.0, version dev, and no global security requirement", () => {
    expect(document.openapi).toBe("3.1.0")
    expect(document.info).toMatchObject({ title: "orgplane", version: "dev" })
    expect(document.security).toEqual([])
    expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining(["session", "apiKey"]))
    expect(document.components.securitySchemes["apiKey"]).toMatchObject({
      type: "apiKey",
      in: "header",
      name: "x-api-key"
    })
  })

  it("contains every operation of the contract once, under its own ID", () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      contractOperations.map(({ operationId }) => operationId).sort()
    )
    for (const { operationId, method, path, summary, tag } of contractOperations) {
      const documented = at(operationId)
      expect([documented.method, documented.path, documented.summary, documented.tags]).toEqual([
        method.toLowerCase(),
        path.replace(/:(\w+)/g, "{$1}"),
        summary,
        [tag]
      ])
    }
    const tags = document.tags.map(({ name }) => name)
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(tags))
  })

  it("has no broken references and no unused schemas", () => {
    const targets = new Set(everything.map(([path]) => path))
    expect(refs.filter((ref) => !targets.has(ref))).toEqual([])
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !refs.includes(`#/components/schemas/${name}`)
    )
    expect(unused).toEqual([])
  })

  it("declares every path parameter, and none twice", () => {
    for (const { operationId, parameters, path } of operations) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]))
      const named = parameters.filter((parameter) => parameter.in === "path")
      expect(named.map(({ name }) => name).sort(), operationId).toEqual(placeholders.sort())
      expect(named.every(({ required }) => required)).toBe(true)
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`)
      expect(new Set(keys).size, operationId).toBe(keys.length)
    }
  })

  it("names schemas as the contract does, and contains no _tag properties", () => {
    expect(Object.keys(document.components.schemas).filter((name) => /Encoded|_\d+$/.test(name))).toEqual([])
    expect(everything.filter(([path]) => path.endsWith("/properties/_tag")).map(([path]) => path)).toEqual([])
    // Only a keyword that the schema already has, such as a second pattern, stays in an `allOf`.
    for (const [path, value] of everything) {
      for (const part of (value["allOf"] ?? []) as ReadonlyArray<Json>) {
        expect(
          Object.keys(part).some((key) => key in value),
          path
        ).toBe(true)
      }
    }
  })

  it("contains only schemas that compile as JSON Schema", () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
    formats.default.default(ajv)
    ajv.addKeyword("components").addSchema({ $id: "document", components: document.components })
    for (const name of Object.keys(document.components.schemas)) {
      expect(ajv.getSchema(`document#/components/schemas/${name}`), name).toBeTypeOf("function")
    }
    const valid = (name: string, value: unknown) =>
      ajv.validate({ $ref: `document#/components/schemas/${name}` }, value)
    expect(valid("CreatePlugin", { name: "n", description: null, unknown: 1 })).toBe(true)
    expect(valid("CreatePlugin", { name: "" })).toBe(false)
    expect(valid("CreatePlugin", { name: null })).toBe(false)
    expect(valid("Timestamp", "2026-03-01T09:30:00.000Z")).toBe(true)
    expect(valid("Timestamp", "2026-13-01T09:30:00.000Z")).toBe(false)
    expect(valid("PluginId", "plg_01h455vb4pex5vsknk084sn02q")).toBe(true)
    expect(valid("PluginId", "cin_01h455vb4pex5vsknk084sn02q")).toBe(false)
    expect(valid("Forbidden", { reason: "owner_required", message: "m" })).toBe(true)
    expect(valid("Forbidden", { reason: "owner_required", message: "m", _tag: "Forbidden" })).toBe(false)
    expect(valid("Unauthorized", { error: "unauthorized" })).toBe(true)
  })

  it("describes numbers in queries as numbers, with their bounds", () => {
    expect(limit("plugins.list")).toEqual({ type: "integer", minimum: 1, maximum: 100 })
    expect(limit("connectors.tree")).toEqual({ type: "integer", minimum: 1, maximum: 500 })
  })

  it("allows unknown fields in request bodies at any depth", () => {
    const visited = new Set<string>()
    const follow = (value: unknown, where: string) => {
      for (const [path, part] of walk(value, where)) {
        expect(part["additionalProperties"], path).not.toBe(false)
        const ref = part["$ref"]
        if (typeof ref !== "string" || visited.has(ref)) continue
        visited.add(ref)
        follow(document.components.schemas[ref.slice("#/components/schemas/".length)], ref)
      }
    }
    for (const { operationId, requestBody } of operations) follow(requestBody, operationId)
    expect(visited.size).toBeGreaterThan(0)
  })

  it("requires the credentials that the access kind allows", () => {
    for (const { access, operationId } of contractOperations) {
      const schemes = at(operationId).security.flatMap((requirement) => Object.keys(requirement))
      const expected =
        access.kind === "public" || access.kind === "signature" || access.kind === "state"
          ? []
          : ["member", "permission", "permissionOrPlatform"].includes(access.kind)
            ? ["session", "apiKey"]
            : access.kind === "memberOrWorker"
              ? ["session", "apiKey", "worker"]
              : access.kind === "sessionOrWorker"
                ? ["session", "worker"]
                : access.kind === "worker" || access.kind === "scim"
                  ? [access.kind]
                  : ["session"]
      expect(schemes, operationId).toEqual(expected)
      for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme)
    }
  })

  it("declares exactly the responses of the contract", () => {
    for (const { errors, method, operationId, revalidates, success, versioned } of contractOperations) {
      const expected = new Set([...success, ...errors].map(({ status }) => String(status)))
      if (revalidates && method === "GET") expected.add("304")
      const { responses } = at(operationId)
      if (versioned && !revalidates && method === "GET")
        expect(responses["200"]?.headers, operationId).toHaveProperty("etag")
      expect(new Set(Object.keys(responses)), operationId).toEqual(expected)
      for (const [status, { content, description, headers }] of Object.entries(responses)) {
        expect(description, `${operationId} ${status}`).not.toBe("")
        expect(headers, `${operationId} ${status}`).toHaveProperty("x-request-id")
        expect(content === undefined, `${operationId} ${status}`).toBe(["204", "303", "304"].includes(status))
      }
    }
  })

  it("contains every error code of each operation", () => {
    for (const { access, errors, operationId } of contractOperations) {
      const { responses } = at(operationId)
      if (access.kind === "scim") {
        const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400)
        for (const [status, { content }] of refusals) {
          const schema = { $ref: "#/components/schemas/ScimError" }
          const { schema: shown } = content?.["application/scim+json"] ?? {}
          expect([operationId, status, shown]).toEqual([operationId, status, schema])
        }
        continue
      }
      for (const { code, status } of errors) {
        if (code === undefined) continue
        const schema = responses[String(status)]?.content?.["application/json"]?.schema
        const names = [...walk(schema)].flatMap(([, part]) => (typeof part["$ref"] === "string" ? [part["$ref"]] : []))
        const codes = names.map((name) => {
          const target = document.components.schemas[name.slice("#/components/schemas/".length)]
          return (target?.["properties"] as { readonly error?: { readonly enum?: ReadonlyArray<string> } } | undefined)
            ?.error?.enum?.[0]
        })
        expect(codes, `${operationId} ${status}`).toContain(code)
      }
    }
    expect(JSON.stringify(at("system.ready").responses["503"]?.content)).toContain("NotReady")
  })

  it("declares the request headers that an operation supports", () => {
    expect(headers("system.health")).toEqual([])
    expect(headers("sessions.list")).toEqual([])
    expect(headers("bootstrap.workspace")).toEqual([])
    expect(headers("plugins.get")).toEqual(["x-organization-id"])
    expect(headers("plugins.create")).toEqual(["x-organization-id", "Idempotency-Key"])
    expect(headers("connectors.getInstance")).toEqual(["x-organization-id", "If-None-Match"])
    expect(headers("connectors.updateInstance")).toEqual(["x-organization-id", "If-Match"])
  })
})

describe("the examples", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default.default(ajv)
  ajv.addKeyword("components").addSchema({ $id: "document", components: document.components })

  /** The schema with its references into the document. */
  const absolute = (schema: unknown): Json =>
    JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')) as Json

  const problemsOf = ({ operationId, parameters, requestBody, responses }: Operation) => {
    const check = (where: string, schema: unknown, example: unknown) => {
      const validate = ajv.compile(absolute(schema))
      return validate(example) ? [] : [`${operationId} ${where}: ${ajv.errorsText(validate.errors)}`]
    }
    const media = Object.entries({ request: requestBody, ...responses }).flatMap(([where, body]) =>
      Object.values(body?.content ?? {}).flatMap(({ schema, ...more }) =>
        "example" in more ? check(where, schema, more.example) : []
      )
    )
    return [
      ...media,
      ...parameters.flatMap(({ name, schema, ...more }) => ("example" in more ? check(name, schema, more.example) : []))
    ]
  }

  it("are valid for the schemas of their requests, responses and parameters", () => {
    expect(operations.flatMap(problemsOf)).toEqual([])
  })

  it("exist for every request and response with a body, except for archives, redirects and a 204", () => {
    const missing = operations.flatMap(({ operationId, requestBody, responses }) => {
      const [success] = Object.entries(responses).filter(([status]) => Number(status) < 300)
      const hasExample = (body: Media | undefined) =>
        body === undefined || Object.values(body.content ?? {}).every((media) => "example" in media)
      const examples = Object.values(responses).some((body) => body.content !== undefined && hasExample(body))
      const isEmpty = success?.[1].content === undefined
      return hasExample(requestBody) && (examples || isEmpty) ? [] : [operationId]
    })
    expect(missing.toSorted()).toEqual([
      "marketplaces.downloadLinked",
      "plugins.download",
      "plugins.downloadLinked",
      "scimProtocol.updateGroup",
      "sso.oidcCallback",
      "sso.samlAcs"
    ])
  })
})
