import { expect, it } from "vitest"
import { call, makeControlPlane } from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const get = call(plane)

it("serves the API reference, by its short name too, with a policy that allows only its own script", async () => {
  for (const path of ["/docs", "/v1/docs", "/docs?group=plugins", "/v1/docs?group=api-keys"]) {
    const { headers, status, text } = await get("GET", path)
    expect([path, status, headers.get("content-type")]).toEqual([path, 200, expect.stringContaining("text/html")])
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+'; /u)
    expect(text).toMatch(/^<!doctype html>/u)
  }
  expect((await get("GET", "/docs?group=plugins")).text).toContain('<article id="plugins-create"')
})

it("rejects an unknown group with the names of the groups", async () => {
  const { body, headers, status } = await get("GET", "/v1/docs?group=nothing")
  expect([status, body.error, body.details[0].path]).toEqual([400, "invalid_request", ["query", "group"]])
  expect(body.details[0].message).toMatch(/^must be one of: system, /u)
  expect(headers.get("content-security-policy")).not.toContain("script-src")
})

it("has an example of a request and its response in the OpenAPI document", async () => {
  const { body } = await get("GET", "/openapi.json")
  const { requestBody, responses } = body.paths["/v1/teams"].post
  expect(requestBody.content["application/json"].example).toEqual({ name: "Platform" })
  expect(responses["201"].content["application/json"].example.team.name).toBe("Platform")
})

it("is served below a path prefix", async () => {
  const prefixed = await makeControlPlane({ workers: false, pathPrefix: "/orgplane", database: plane.database })
  const { status, text } = await call(prefixed)("GET", "/orgplane/docs?group=teams")
  expect([status, text.includes('<article id="teams-create"')]).toEqual([200, true])
  // All links are relative to the page.
  expect([...text.matchAll(/ href="(\/[^"]*)"/gu)]).toEqual([])
})
