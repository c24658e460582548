/**
 * The examples of the reference: one request and its response for each operation, recorded from a server, so that none is
 * invented. `ORGPLANE_EXAMPLES=write` records them again.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import type { Example } from "@orgplane/schema/shared/example"
import { recordedExamples } from "../../../../scripts/codegen/examples.ts"
import { call, makeControlPlane, makeWorkspace } from "../harness.ts"
import { changeOf, suites } from "../infra/http-changes.ts"
import { anAddress, changes, makeThings, type Operation, operations, pathOf, useNames } from "../infra/http-world.ts"
import { type Scene, scenes } from "./scenes.ts"
import { exampleNames } from "./names.ts"
import { makeNormalizer } from "./normalize.ts"

useNames(exampleNames)
// Other files of this worker share the module, and their organizations have several objects of each kind.
afterAll(() => useNames({}))
const folder = join(import.meta.dirname, "../../../schema/examples")
const isRecording = process.env["ORGPLANE_EXAMPLES"] === "write"

const plane = await makeControlPlane({ workers: false, outbound: { allowHttp: true }, suites: suites.options })
const owner = await makeWorkspace(plane, "Acme")
const things = await makeThings(plane, owner)

/** Headers that tell something about the operation. */
const shownHeaders = ["etag", "location", "content-disposition"]

const headersOf = (headers: Headers) => {
  const shown = shownHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }
}

const bodyOfResponse = (id: string, text: string, type: string | null): unknown => {
  if (text === "") return undefined
  if (type?.includes("json") === true && !type.includes("ndjson")) {
    const value: unknown = JSON.parse(text)
    if (id === "configuration.schema") {
      const { $schema } = value as { readonly $schema: string }
      return { $schema, $defs: {} }
    }
    if (id !== "system.openapi") return value
    const { info, openapi } = value as { readonly info: unknown; readonly openapi: string }
    return { openapi, info, paths: {} }
  }
  if (type?.startsWith("text/") === true || type?.includes("ndjson") === true || type?.includes("xml") === true) {
    return text
      .split("\n")
      .slice(0, 3)
      .join("\n")
      .slice(0, type === "text/event-stream" ? 800 : 400)
  }
  return undefined
}

const requestOf = async (operation: Operation): Promise<Scene> => {
  const scene = scenes[operation.operationId]
  if (scene !== undefined) return scene(plane)
  if (changes(operation)) {
    const { body, things: own, token } = await changeOf(plane, operation)
    return { plane, body, things: own, token }
  }
  // The end of a soak time depends on when the rollout started.
  if (operation.operationId === "rollouts.get") {
    return { plane, things: await makeThings(plane, owner, undefined, ["RolloutId"]), token: owner.token }
  }
  if (operation.body === null && operation.access.kind !== "scim" && operation.access.kind !== "worker") {
    return { plane, things, token: operation.access.kind === "public" ? undefined : owner.token }
  }
  const { body, things: own, token } = await changeOf(plane, operation)
  return { plane, body, things: own, token }
}

const recorded = async (operation: Operation): Promise<{ readonly example: Example; readonly status: number }> => {
  const scene = await requestOf(operation)
  const { body, form, path, query: parameters, things: ids = {}, token } = scene
  const url = new URL(path ?? pathOf(operation, ids, parameters), "http://localhost")
  const type = operation.body?.contentType ?? "application/json"
  const scim = operation.access.kind === "scim" ? { "content-type": "application/scim+json" } : {}
  const sent = form === undefined ? body : new URLSearchParams(form).toString()
  const response = await call(scene.plane, token, anAddress())(operation.method, url.pathname + url.search, sent, {
    ...scim,
    ...(form === undefined ? {} : { "content-type": type }),
    ...scene.headers
  })
  const { normalize, text } = makeNormalizer(scene.plane, Date.now())
  const query = Object.fromEntries(url.searchParams)
  const content = bodyOfResponse(operation.operationId, response.text, response.headers.get("content-type"))
  return {
    status: response.status,
    example: {
      request: {
        method: operation.method,
        path: text(url.pathname),
        ...(Object.keys(query).length === 0 ? {} : { query: normalize(query) as Readonly<Record<string, unknown>> }),
        ...(type === "application/json" ? {} : { headers: { "content-type": type } }),
        ...(sent === undefined ? {} : { body: normalize(form ?? body) })
      },
      response: {
        status: response.status,
        ...(normalize(headersOf(response.headers)) as object),
        ...(content === undefined ? {} : { body: normalize(content) })
      }
    }
  }
}

/** SCIM clients are no persons, so this operation refuses all of them. */
const refused = new Set(["scimProtocol.getMe"])

const records = new Map<string, Record<string, Example>>()

it.each(operations.map((operation) => [operation.operationId, operation] as const))("%s", async (id, operation) => {
  const { example, status } = await recorded(operation)
  if (isRecording) {
    if (status >= 400 && !refused.has(id)) throw new Error(`${status}: ${JSON.stringify(example.response.body)}`)
    records.set(operation.group, { ...records.get(operation.group), [id]: example })
    return
  }
  expect(example).toEqual(recordedExamples[id])
})

afterAll(() => {
  for (const [group, examples] of records) {
    writeFileSync(join(folder, `${group}.json`), `${JSON.stringify(examples, null, 2)}\n`)
  }
})
