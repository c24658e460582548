/** "Show as code" in the console: each command runs in a shell and sends the request that it shows. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ioOf } from "../packages/cli/test/harness.ts"
import type { FlagRow, OperationRow } from "../packages/cli/src/command-table.ts"
import { commands } from "../packages/cli/src/generated/commands.ts"
import type { Io } from "../packages/cli/src/io.ts"
import { listingOf } from "../packages/cli/src/listings.ts"
import { run } from "../packages/cli/src/program.ts"
import { routes } from "../packages/client/src/generated/operations.ts"
import { createClient } from "../packages/client/src/index.ts"
import { asCommand } from "../packages/console/src/app/api/command.ts"
import type { RecordedRequest } from "../packages/console/src/app/api/recorder.ts"
import { withoutSecrets } from "../packages/console/src/app/api/secrets.ts"
import { examples } from "../packages/schema/src/generated/examples.ts"

type Members = Readonly<Record<string, unknown>>
type Group = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => unknown>>

const organizationId = "org_01kf0x5me8e6razepq180mhf01"
const folder = mkdtempSync(join(tmpdir(), "orgplane-console-commands-"))
afterAll(() => rmSync(folder, { recursive: true }))

const rows = new Map(commands.flatMap(({ operations }) => operations).map((row) => [row.id, row]))

/** A response that every operation accepts. */
const anything = () => JSON.stringify({ ok: true, item: {}, items: [], nextCursor: null, token: null })

/** The request of a call in the SDK, as the console records it. There is no response. */
const recordedOf = (operation: string, args: ReadonlyArray<unknown>): Promise<RecordedRequest> =>
  new Promise((resolve, reject) => {
    const client = createClient({
      baseUrl: "https://orgplane.example",
      token: "ops_test",
      timeoutMillis: Infinity,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        const sent = request.method === "GET" ? "" : await request.text()
        resolve({
          operation,
          args: args.map(withoutSecrets),
          method: request.method,
          path: pathname + search,
          body: sent === "" ? undefined : JSON.stringify(withoutSecrets(JSON.parse(sent)))
        })
        return new Promise(() => {})
      }
    })
    const [group = "", name = ""] = operation.split(".")
    const call = (client as unknown as Readonly<Record<string, Group>>)[group]?.[name]?.(...args)
    const isStream = typeof call === "object" && call !== null && Symbol.asyncIterator in call && !("then" in call)
    const started = isStream ? (call as AsyncIterable<unknown>)[Symbol.asyncIterator]().next() : call
    Promise.resolve(started).catch(reject)
  })

/** The recorded example of an operation as a call. */
const exampleArgs = (operation: string, route: string): ReadonlyArray<unknown> => {
  const request = examples[operation]?.request
  const segments = request?.path.split("/") ?? []
  const ids = (route.split(" ")[1] ?? "")
    .split("/")
    .flatMap((segment, index) => (segment === ":" ? [decodeURIComponent(segments[index] ?? "")] : []))
  const flags = rows.get(operation)?.flags ?? []
  const query = Object.entries(request?.query ?? {}).map(([name, value]) => {
    const isBoolean = flags.some(({ member, type }) => member === name && type === "boolean")
    return [name, isBoolean ? value === "true" : value]
  })
  const input: Members = { ...Object.fromEntries(query), ...(request?.body as Members | undefined) }
  return Object.keys(input).length === 0 ? ids : [...ids, input]
}

const text = `-it's "quoted" \\n:/\n$HOME \`id\` =!*`
const objectId = (prefix: string) => `${prefix}_01kf0x5me8e6razepq180mhf01`

/** A text, or an ID where the CLI would look up another text as a name. */
const textFor = (operation: string, member: string): string => {
  const prefix = listingOf(operation, member)?.prefix
  if (prefix !== undefined) return objectId(prefix)
  return /Ids?$/.test(member) ? objectId("abc") : text
}

const valueOf = (operation: string, { many, member, time, type, values }: FlagRow, index: number): unknown => {
  const one =
    type === "boolean"
      ? index % 2 === 0
      : type === "integer" || type === "number"
        ? 7
        : type === "enum"
          ? values?.at(-1)
          : time !== undefined
            ? "2026-01-02T03:04:05.000Z"
            : textFor(operation, member)
  return many === true ? [one, one] : one
}

const isPlain = ({ file, pairs }: FlagRow) => file === undefined && pairs === undefined

/** A call with every field that has a flag, and with a body that flags cannot express. */
const fullArgs = (row: OperationRow): ReadonlyArray<ReadonlyArray<unknown>> => {
  const members = (flags: ReadonlyArray<FlagRow>): Members =>
    Object.fromEntries(flags.map((flag, index) => [flag.member, valueOf(row.id, flag, index)]))
  const of = (place: "query" | "body", nested: boolean) =>
    members(row.flags.filter((flag) => flag.in === place && isPlain(flag) && (flag.nested === true) === nested))
  const ids = row.ids.map(({ member }) => textFor(row.id, member))
  const placed = Object.fromEntries(
    (row.arguments ?? []).map(({ member, object }) => [
      member,
      object === true ? { kind: "plugin", id: objectId("plg") } : text
    ])
  )
  const limit = row.pageMax === undefined ? {} : { limit: 7 }
  const input: Members = { ...of("query", false), ...limit, ...placed, ...of("body", false) }
  if (row.body !== true) return [[...ids, input]]
  const withNested = (nested: Members): Members => (row.flatten === undefined ? {} : { [row.flatten]: nested })
  const nested = of("body", true)
  const [, first] = row.flags.filter((flag) => flag.in === "body" && isPlain(flag))
  const special = Object.fromEntries([
    ...row.flags.filter((flag) => !isPlain(flag)).map(({ member }) => [member, { a: text }] as const),
    ...(row.json ?? []).map(({ member }) => [member, [text, { a: 1 }]] as const)
  ])
  const json: Members = { ...input, ...row.constants, ...withNested({ ...nested, ...special }), ...special }
  const withNull = first === undefined || first.nested === true ? {} : { [first.member]: null }
  const isComplete =
    row.constants === undefined &&
    !row.flags.some((flag) => !isPlain(flag) && flag.required === true) &&
    !(row.json ?? []).some(({ required }) => required === true)
  return [...(isComplete ? [[...ids, { ...input, ...withNested(nested) }]] : []), [...ids, { ...json, ...withNull }]]
}

const calls = Object.entries(routes).flatMap(([group, operations]) =>
  Object.entries(operations).flatMap(([name, route]: [string, string]) => {
    const operation = `${group}.${name}`
    const row = rows.get(operation)
    const recorded = examples[operation] === undefined ? [] : [exampleArgs(operation, route)]
    return [...recorded, ...(row === undefined ? [] : fullArgs(row))].map((args) => ({ operation, args }))
  })
)

/** The words and the standard input of each command, as a shell passes them to the CLI. */
const passedBy = (shell: string, shown: ReadonlyArray<string>) => {
  const script = join(folder, "script.sh")
  const program = String.raw`orgplane() { printf '%s\0' "$#" "$@"; cat; printf '\0'; }`
  writeFileSync(script, [program, ...shown, ""].join("\n"))
  const output = execFileSync(shell, [script], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  const parts = output.split("\0")
  return shown.map(() => {
    const count = Number(parts.shift())
    return { argv: parts.splice(0, count), stdin: parts.shift() ?? "" }
  })
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly body: unknown
  readonly organization: string | undefined
}

const sentOf = (method: string, url: URL, body: string | undefined, organization: string | undefined): Sent => ({
  method,
  path: url.pathname,
  query: [...url.searchParams].toSorted(([one], [other]) => one.localeCompare(other)),
  body: body === undefined ? undefined : JSON.parse(body),
  organization
})

/** Runs the CLI. A person at a terminal confirms, unless the standard input is the body. */
const sentBy = async ({ argv, stdin }: { readonly argv: ReadonlyArray<string>; readonly stdin: string }) => {
  const sent: Array<Sent> = []
  let errors = ""
  const input = Readable.from([Buffer.from(stdin === "" ? "y\r" : stdin)])
  const io: Io = {
    ...ioOf({ url: "https://orgplane.example" }),
    argv,
    stdin: Object.assign(input, { isTTY: stdin === "" }),
    err: {
      isTerminal: true,
      columns: 80,
      write: async (chunk) => void (errors += String(chunk))
    },
    send: async ({ body, headers, method, url }) => {
      sent.push(sentOf(method, url, body?.toString(), headers["x-organization-id"]))
      return new Response(anything(), { headers: { "content-type": "application/json" } })
    }
  }
  await run(io, commands)
  return { sent, errors }
}

const cases: Array<readonly [string, { readonly request: RecordedRequest; readonly shown: string }]> = []
let passed: ReturnType<typeof passedBy> = []

describe("the commands of the console", () => {
  beforeAll(async () => {
    for (const { args, operation } of calls) {
      const request = await recordedOf(operation, args)
      cases.push([operation, { request, shown: asCommand(request, organizationId) }])
    }
    const shown = cases.map(([, each]) => each.shown)
    passed = passedBy("sh", shown)
  })

  it.each(Object.keys(routes))("sends the shown request with each command of %s", async (group) => {
    let count = 0
    for (const [index, [operation, { request, shown }]] of cases.entries()) {
      if (!operation.startsWith(`${group}.`)) continue
      count += 1
      const words = passed[index]
      if (words === undefined) throw new Error(shown)
      const { errors, sent } = await sentBy(words)
      const url = new URL(request.path, "https://orgplane.example")
      expect({ shown, errors: sent.length === 0 ? errors : "", sent }).toEqual({
        shown,
        errors: "",
        sent: [sentOf(request.method, url, request.body, organizationId)]
      })
    }
    expect(count).toBeGreaterThan(0)
  })
})
