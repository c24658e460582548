import type { Example } from "./example.ts"

type Json = Record<string, unknown>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Adds the example to the media types of a body. */
const withExample = (body: unknown, example: unknown): unknown =>
  isJson(body) && isJson(body["content"]) && example !== undefined
    ? {
        ...body,
        content: Object.fromEntries(
          Object.entries(body["content"]).map(([type, media]) => [type, { ...(media as Json), example }])
        )
      }
    : body

const operationWith = (operation: Json, path: string, { request, response }: Example): Json => {
  const values = request.path.split("/")
  const pathValues = new Map(
    path
      .split("/")
      .flatMap((segment, index) => (segment.startsWith("{") ? [[segment.slice(1, -1), values[index]] as const] : []))
  )
  const parameters = (operation["parameters"] as ReadonlyArray<Json> | undefined)?.map((parameter) => {
    const name = String(parameter["name"])
    const value = parameter["in"] === "path" ? pathValues.get(name) : request.query?.[name]
    return value === undefined || (parameter["in"] !== "path" && parameter["in"] !== "query")
      ? parameter
      : { ...parameter, example: value }
  })
  const responses = operation["responses"] as Json
  const status = String(response.status)
  return {
    ...operation,
    ...(parameters === undefined ? {} : { parameters }),
    ...("requestBody" in operation ? { requestBody: withExample(operation["requestBody"], request.body) } : {}),
    responses:
      responses[status] === undefined
        ? responses
        : { ...responses, [status]: withExample(responses[status], response.body) }
  }
}

/** The OpenAPI document with an example of the request and the response of each operation. */
export const withExamples = (document: Json, examples: Readonly<Record<string, Example>>): Json => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document["paths"] as Readonly<Record<string, Json>>).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => {
          const example = isJson(operation) ? examples[String(operation["operationId"])] : undefined
          return [method, example === undefined ? operation : operationWith(operation as Json, path, example)]
        })
      )
    ])
  )
})
