import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { anyone } from "@orgplane/schema/shared/auth"
import { endpointMetadata } from "@orgplane/schema/shared/endpoint"
import { exact } from "@orgplane/schema/shared/openapi"
import { expect, test } from "vitest"
import { metadataOf } from "./endpoint-metadata.ts"

const deprecated = { since: "2026-11-01", sunset: "2027-05-01", instead: "notes.get" }
const old = HttpApiEndpoint.get("read", "/v1/note", { success: Schema.Struct({ text: Schema.String }) }).pipe(
  endpointMetadata({ access: anyone, summary: "Read a note", deprecated })
)
const current = HttpApiEndpoint.get("get", "/v1/notes", { success: Schema.Struct({ text: Schema.String }) }).pipe(
  endpointMetadata({ access: anyone, summary: "Get a note" })
)
const group = HttpApiGroup.make("notes").add(old).add(current)

test("a deprecated operation declares the headers Deprecation, Sunset and Link, and no other operation does", () => {
  const headers: Record<string, unknown> = {}
  HttpApi.reflect(HttpApi.make("notes").add(group), {
    onGroup() {},
    onEndpoint({ endpoint, group: owner }) {
      headers[endpoint.identifier] = metadataOf(owner, endpoint).deprecation
    }
  })
  expect(headers).toEqual({
    read: {
      deprecation: "@1793491200",
      sunset: "Sat, 01 May 2027 00:00:00 GMT",
      link: '</openapi.json#operation/notes.get>; rel="successor-version"'
    },
    get: undefined
  })
})

test("a deprecated operation is marked in the OpenAPI document, with its dates", () => {
  const api = HttpApi.make("notes").add(group)
  const document = OpenApi.fromApi(api.annotate(OpenApi.Transform, exact(api)))
  expect(document.paths["/v1/note"]?.get).toMatchObject({
    deprecated: true,
    description: "Deprecated since 2026-11-01. Works until 2027-05-01. Use `notes.get` instead.",
    "x-deprecated-since": "2026-11-01",
    "x-sunset": "2027-05-01"
  })
  expect(document.paths["/v1/notes"]?.get).not.toHaveProperty("deprecated")
})
