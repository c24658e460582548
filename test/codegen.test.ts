import { describe, expect, it } from "vitest"
import { inputOf } from "../scripts/codegen/client.ts"
import { contract } from "../scripts/codegen/reflect.ts"
import { stale } from "../scripts/codegen.ts"

describe("what is derived from the contract", () => {
  it("is what the contract says; `pnpm codegen` makes it so", async () => {
    expect([...(await stale()).keys()]).toEqual([])
  })
})

describe("the contract as data", () => {
  const operations = contract().groups.flatMap((group) => group.operations)
  const operation = (operationId: string) => {
    const found = operations.find((operation) => operation.operationId === operationId)
    if (found === undefined) throw new Error(`no operation ${operationId}`)
    return found
  }

  it("says of each operation who may call it and what it does", () => {
    expect(operations.filter(({ summary }) => summary === "").map(({ operationId }) => operationId)).toEqual([])
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it("tells the kinds of members apart", () => {
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

  it("fails where a name would be a member of query and body", () => {
    const apply = operation("connectors.apply")
    expect(inputOf(apply)).toMatchObject({ type: "ConnectorsApplyInput", optional: false })
    expect(() => inputOf({ ...apply, query: [...apply.query, ...(apply.body?.members ?? [])] })).toThrow(
      "selectedKeys is a member of query and body"
    )
  })

  it("keeps of the shared errors those that can happen", () => {
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
