import { describe, expect, it } from "vitest"
import { inputOf } from "../scripts/codegen/client.ts"
import { contract } from "../scripts/codegen/reflect.ts"
import { stale } from "../scripts/codegen.ts"

describe("generated files", () => {
  it("are current; `pnpm codegen` updates them", async () => {
    expect([...(await stale()).keys()]).toEqual([])
  })
})

describe("the reflected contract", () => {
  const operations = contract().groups.flatMap((group) => group.operations)
  const operation = (operationId: string) => {
    const match = operations.find((operation) => operation.operationId === operationId)
    if (match === undefined) throw new Error(`There is no operation ${operationId}.`)
    return match
  }

  it("has a summary and a unique ID for each operation", () => {
    expect(operations.filter(({ summary }) => summary === "").map(({ operationId }) => operationId)).toEqual([])
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it("distinguishes the kinds of fields", () => {
    const kinds = Object.fromEntries(operation("configObjects.list").query.map(({ name, kind }) => [name, kind]))
    expect(kinds).toMatchObject({ cursor: "string", limit: "integer", type: "enum", archived: "boolean-literal" })
    expect(operation("configObjects.list").query.find(({ name }) => name === "limit")).toMatchObject({
      optional: true,
      minimum: 1,
      maximum: 100
    })
    const apply = operation("connectors.apply").body?.members ?? []
    expect(apply.map(({ name, kind, element }) => [name, kind, element])).toEqual([
      ["selectedKeys", "array", "string"],
      ["autoImportNewPlugins", "boolean", undefined],
      ["marketplaceId", "string", undefined],
      ["share", "enum", undefined],
      ["connectorTargetId", "string", undefined],
      ["planDigest", "string", undefined]
    ])
    expect(operation("configObjects.create").body?.members.map(({ kind }) => kind)).toEqual(["json", "array"])
    expect(operation("plugins.create").body?.members.find(({ name }) => name === "description")).toMatchObject({
      nullable: true,
      optional: true,
      kind: "string"
    })
  })

  it("fails when query and body have a field of the same name", () => {
    const apply = operation("connectors.apply")
    expect(inputOf(apply)).toMatchObject({ type: "ConnectorsApplyInput", optional: false })
    expect(() => inputOf({ ...apply, query: [...apply.query, ...(apply.body?.members ?? [])] })).toThrow(
      "selectedKeys is a field of both query and body"
    )
  })

  it("includes only the shared errors that an operation can return", () => {
    const statuses = (operationId: string) => [...new Set(operation(operationId).errors.map(({ status }) => status))]
    expect(statuses("system.health")).toEqual([429, 500, 503])
    expect(statuses("sessions.list")).toEqual([400, 401, 403, 429, 500, 503])
    expect(statuses("plugins.get")).toEqual([400, 401, 403, 404, 429, 500, 503])
    expect(statuses("plugins.create")).toEqual([400, 401, 403, 404, 409, 413, 429, 500, 503])
    expect(statuses("connectors.updateInstance")).toEqual([400, 401, 403, 404, 409, 412, 413, 429, 500, 503])
    expect(
      operation("connectors.updateInstance")
        .errors.filter(({ status }) => status === 409)
        .map(({ code }) => code)
    ).toEqual(["connector_instance_exists"])
  })
})
