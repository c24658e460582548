/** Responses of a server that is newer than the client: more fields, and values that the contract does not list. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApi from "effect/http-api/HttpApi"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { OrgplaneApi } from "@orgplane/schema/api"
import { examples } from "../../schema/src/generated/examples.ts"
import { Orgplane } from "../src/effect/index.ts"
import { tolerantApi } from "../src/effect/tolerant.ts"
import { json } from "./server.ts"

const isText = (ast: SchemaAST.AST) => SchemaAST.isLiteral(ast) && typeof ast.literal === "string"

let changes = 0
/** The value as a later release may send it. */
const later = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isSuspend(ast)) return later(ast.thunk(), value)
  if (SchemaAST.isUnion(ast)) {
    if (typeof value === "string" && ast.types.filter(isText).length > 1) {
      changes += 1
      return "a_later_value"
    }
    const own = ast.types.filter((type) =>
      Exit.isSuccess(Schema.decodeUnknownExit(Schema.make<Schema.Decoder<unknown>>(type))(value))
    )
    const [first] = own
    return first === undefined ? value : later(first, value)
  }
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [rest] = ast.rest
    return rest === undefined ? value : value.map((item) => later(rest, item))
  }
  if (SchemaAST.isObjects(ast) && typeof value === "object" && value !== null && ast.indexSignatures.length === 0) {
    const members = Object.entries(value).map(([name, inner]) => {
      const property = ast.propertySignatures.find((each) => each.name === name)
      return [name, property === undefined ? inner : later(property.type, inner)] as const
    })
    return { ...Object.fromEntries(members), aLaterField: { nested: true } }
  }
  return value
}

interface Response {
  readonly id: string
  readonly strict: Schema.Decoder<unknown>
  readonly tolerant: Schema.Decoder<unknown>
}

const responsesOf = (api: typeof OrgplaneApi) => {
  const schemas = new Map<string, Schema.Decoder<unknown>>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => {
      for (const [status, [schema]] of successes) {
        schemas.set(`${group.identifier}.${endpoint.identifier} ${status}`, schema as never as Schema.Decoder<unknown>)
      }
    }
  })
  return schemas
}

const strict = responsesOf(OrgplaneApi)
const tolerant = responsesOf(tolerantApi(OrgplaneApi))
const responses = [...strict].flatMap(([id, schema]): ReadonlyArray<Response> => {
  const other = tolerant.get(id)
  return other === undefined ? [] : [{ id, strict: schema, tolerant: other }]
})

describe("a response of a later release", () => {
  it("is accepted by every operation whose example is accepted", () => {
    const refused: Array<string> = []
    let checked = 0
    for (const { id, strict: schema, tolerant: lenient } of responses) {
      const [operation = "", status = ""] = id.split(" ")
      const { response } = examples[operation] ?? {}
      if (response === undefined || String(response.status) !== status || typeof response.body !== "object") continue
      if (Exit.isFailure(Schema.decodeUnknownExit(schema)(response.body))) continue
      checked += 1
      const value = later(SchemaAST.toEncoded(schema.ast), response.body)
      if (Exit.isFailure(Schema.decodeUnknownExit(lenient)(value))) refused.push(id)
    }
    assert.deepStrictEqual(refused, [])
    assert.isAbove(checked, 200)
    assert.isAbove(changes, 100)
  })

  it.effect("is returned by the client, without the fields that the contract does not have", () => {
    const body = examples["workers.get"]?.response.body as { readonly worker: object }
    const fetch: typeof globalThis.fetch = async () =>
      json(200, { ...body, worker: { ...body.worker, status: "hibernating", color: "green" } })
    const layer = Orgplane.layer({ baseUrl: "https://control.example" }).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch))
    )
    return Effect.gen(function* () {
      const orgplane = yield* Orgplane
      const id = "wrk_01kf0x5me8e6razepq180mhf01"
      const { worker } = yield* orgplane.workers.get({ params: { id } })
      assert.strictEqual<string>(worker.status, "hibernating")
      assert.notProperty(worker, "color")
      // Requests are as strict as before.
      const wrong = yield* Effect.exit(
        orgplane.plugins.grantAccess({
          params: { pluginId: "plg_01kf0x5me8e6razepq180mhf01" },
          payload: { orgWide: true, role: "owner" as never }
        })
      )
      assert.isTrue(Exit.isFailure(wrong))
    }).pipe(Effect.provide(layer))
  })
})
