/** The request of an example in three languages, and its response, as the API references show them. */
import type { Example, ExampleWithCalls } from "./example.ts"

/** The security requirements of an operation in the OpenAPI document. */
export type Security = ReadonlyArray<Readonly<Record<string, unknown>>>

export interface ExampleRequest {
  readonly label: "curl" | "TypeScript" | "Command line"
  /** The name of the language for syntax highlighting. */
  readonly language: "sh" | "ts"
  readonly code: string
}

/** Where readers replace the address and the credential. */
const server = "https://orgplane.example"

const jsonType = "application/json"
const formType = "application/x-www-form-urlencoded"

const quoted = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

/** Quotes an argument only if the shell requires it. */
const quotedIfNeeded = (value: string): string => (/^[\w@%+=:,./-]+$/.test(value) ? value : quoted(value))

interface Credential {
  readonly header: string
  readonly prefix: string
  readonly variable: string
}

const credentialOf = (security: Security | undefined): Credential | undefined => {
  const schemes = (security ?? []).flatMap((requirement) => Object.keys(requirement))
  if (schemes.length === 0) return undefined
  return schemes.every((scheme) => scheme === "apiKey")
    ? { header: "x-api-key", prefix: "", variable: "ORGPLANE_API_KEY" }
    : { header: "authorization", prefix: "Bearer ", variable: "ORGPLANE_TOKEN" }
}

const queryText = (members: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(members).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()

/** The path of the request, with its query. */
export const exampleTarget = ({ request }: Example): string => {
  const query = queryText(request.query ?? {})
  return query === "" ? request.path : `${request.path}?${query}`
}

/** The body and its media type. Undefined for a request without a body. */
const bodyOf = ({ request }: Example): { readonly type: string; readonly text: string } | undefined => {
  const { body, headers } = request
  if (body === undefined) return undefined
  const type = headers?.["content-type"] ?? jsonType
  return type === formType
    ? { type, text: queryText(body as Readonly<Record<string, unknown>>) }
    : { type, text: JSON.stringify(body, null, 2) }
}

const curlOf = (example: Example, credential: Credential | undefined): string => {
  const { method } = example.request
  const body = bodyOf(example)
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(server + exampleTarget(example))}`,
    // In double quotes, the shell inserts the credential.
    ...(credential === undefined ? [] : [`-H "${credential.header}: ${credential.prefix}$${credential.variable}"`]),
    ...(body === undefined ? [] : [`-H 'content-type: ${body.type}'`, `-d ${quoted(body.text)}`])
  ].join(" \\\n  ")
}

/** A call of `fetch`, for operations that the client does not have. */
const fetchOf = (example: Example, credential: Credential | undefined): string => {
  const { method } = example.request
  const body = bodyOf(example)
  const indented = (text: string): string => text.replaceAll("\n", "\n  ")
  const headers = [
    ...(credential === undefined
      ? []
      : [
          credential.prefix === ""
            ? `"${credential.header}": process.env.${credential.variable}`
            : `${credential.header}: \`${credential.prefix}\${process.env.${credential.variable}}\``
        ]),
    ...(body === undefined ? [] : [`"content-type": ${JSON.stringify(body.type)}`])
  ]
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(body === undefined
      ? []
      : [`body: ${body.type === jsonType ? `JSON.stringify(${indented(body.text)})` : JSON.stringify(body.text)}`])
  ]
  const url = JSON.stringify(server + exampleTarget(example))
  return options.length === 0
    ? `const response = await fetch(${url})`
    : `const response = await fetch(${url}, {\n${options.map((option) => `  ${option}`).join(",\n")}\n})`
}

/** The command, after one that writes its input. `orgplane api` sends the request of an operation without a command. */
const commandOf = (example: ExampleWithCalls): string => {
  const { method } = example.request
  const body = bodyOf(example)
  const hasInput = body !== undefined && body.text !== ""
  const file = body?.type === formType ? "request.txt" : "request.json"
  const command =
    example.command ??
    [
      `orgplane api ${method} ${quotedIfNeeded(exampleTarget(example))}`,
      ...(body === undefined || body.type === jsonType ? [] : [`--header ${quoted(`content-type: ${body.type}`)}`]),
      ...(hasInput ? [`--input ${file}`] : [])
    ].join(" ")
  return hasInput && command.endsWith(`--input ${file}`)
    ? `cat > ${file} <<'EOF'\n${body.text}\nEOF\n${command}`
    : command
}

/** The request in every language. */
export const exampleRequests = (
  example: ExampleWithCalls,
  security: Security | undefined
): ReadonlyArray<ExampleRequest> => {
  const credential = credentialOf(security)
  return [
    { label: "curl", language: "sh", code: curlOf(example, credential) },
    {
      label: "TypeScript",
      language: "ts",
      code: example.typescript === undefined ? fetchOf(example, credential) : `const result = ${example.typescript}`
    },
    { label: "Command line", language: "sh", code: commandOf(example) }
  ]
}

/** The status, the headers and the body of the response. */
export const exampleResponse = ({ response }: Example): string => {
  const headers = Object.entries(response.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const { body } = response
  const content = body === undefined ? [] : ["", typeof body === "string" ? body : JSON.stringify(body, null, 2)]
  return [`HTTP ${response.status}`, ...headers, ...content].join("\n")
}

/** Shortens long words, such as certificates. */
export const shortened = (code: string): string =>
  code.replaceAll(/[^\s"']{160,}/gu, (match) => `${match.slice(0, 100)}…`)
