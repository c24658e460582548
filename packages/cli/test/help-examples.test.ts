/** Every example that a help page shows is a valid command line. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { examples as recordedExamples } from "@orgplane/schema/generated/examples"
import { exampleRequests } from "@orgplane/schema/shared/example-requests"
import { toRawRequest } from "../src/api-command.ts"
import { commandTree } from "../src/command-tree.ts"
import { wordsOf } from "../src/config-file.ts"
import { commands } from "../src/generated/commands.ts"
import { parse } from "../src/parse.ts"
import { toRequest } from "../src/request.ts"
import { ioOf } from "./harness.ts"

const folder = mkdtempSync(join(tmpdir(), "orgplane-examples-"))
afterAll(() => rmSync(folder, { recursive: true }))

interface Branch {
  readonly name: string
  readonly subcommands?: ReadonlyArray<{ readonly commands: ReadonlyArray<Branch> }>
}

/** The paths of all commands. */
const pathsOf = (branch: Branch, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const children = (branch.subcommands ?? []).flatMap((group) => group.commands)
  return [path, ...children.flatMap((child) => pathsOf(child, [...path, child.name]))]
}

const paths = pathsOf(
  commandTree(commands, "*", () => {}),
  []
)

const examplesOf = async (path: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const page = await parse([...path, "--help"], { table: commands, colors: false, columns: 120 })
  if (page.kind !== "print") throw new Error(`orgplane ${path.join(" ")} --help prints no page.`)
  const [, examples = ""] = page.text.split("\nEXAMPLES\n")
  return examples
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(source <\()?orgplane /u.test(line))
}

const examples = [...new Set((await Promise.all(paths.map(examplesOf))).flat())]

/** The command line without the shell around it. Files of the example exist. */
const argumentsOf = (example: string): ReadonlyArray<string> => {
  const command = example
    .replace(/^source <\((.*)\)$/u, "$1")
    .split(/ (?:[|<>]|&&) /u)[0]
    ?.replace(/^orgplane /u, "")
  return wordsOf(command ?? "").map((word) => {
    if (!/^[\w-]+\.(json|csv|txt|xml|pem|ndjson|md)$/u.test(word)) return word
    const path = join(folder, word)
    writeFileSync(path, word.endsWith(".json") ? "{}" : "text\n")
    return path
  })
}

describe("the examples of the help pages", () => {
  it("are found", () => expect([paths.length > 300, examples.length > 100]).toEqual([true, true]))

  it.each(examples)("%s", async (example) => {
    const parsed = await parse(argumentsOf(example), { table: commands, colors: false, columns: 120 })
    expect(parsed).toMatchObject({ kind: "run" })
    if (parsed.kind !== "run" || parsed.invocation.kind !== "operation") return
    const { invocation } = parsed
    // A body from a file, or lines, are complete in a real file.
    if (invocation.input !== undefined || invocation.file !== undefined) return
    const request = await toRequest(ioOf(), invocation)
    expect(request.path).not.toContain(":")
  })
})

describe("the commands in the API reference", () => {
  const withCommand = Object.entries(recordedExamples).flatMap(([id, { command, request }]) =>
    command === undefined ? [] : [[id, command, request] as const]
  )
  it("are found", () => expect(withCommand.length).toBeGreaterThan(200))

  it.each(withCommand)("%s sends the request of its example", async (_, command, request) => {
    const parsed = await parse(argumentsOf(command), { table: commands, colors: false, columns: 120 })
    expect([command, parsed]).toMatchObject([command, { kind: "run", invocation: { kind: "operation" } }])
    if (parsed.kind !== "run" || parsed.invocation.kind !== "operation") return
    const { invocation } = parsed
    if (invocation.input !== undefined) writeFileSync(invocation.input, JSON.stringify(request.body))
    const sent = await toRequest(ioOf(), invocation)
    const limit = invocation.limit === undefined ? {} : { limit: String(invocation.limit) }
    expect({ method: sent.method, path: sent.path, query: { ...sent.query, ...limit } }).toEqual({
      method: request.method,
      path: request.path,
      query: request.query ?? {}
    })
    if (sent.body !== undefined) expect(sent.body).toEqual(request.body ?? {})
  })
})

describe("the commands of operations without a command of their own", () => {
  const withoutCommand = Object.entries(recordedExamples).filter(([, { command }]) => command === undefined)
  it("are found", () => expect(withoutCommand.length).toBeGreaterThan(20))

  it.each(withoutCommand)("%s sends the request of its example", async (_, example) => {
    const { request } = example
    const code = exampleRequests(example, undefined).at(-1)?.code ?? ""
    const [, text, command] =
      /^(?:cat > request\.(?:json|txt) <<'EOF'\n([^]*)\nEOF\n)?(orgplane api .*)$/u.exec(code) ?? []
    const parsed = await parse(argumentsOf(command ?? ""), { table: commands, colors: false, columns: 120 })
    expect([code, parsed]).toMatchObject([code, { kind: "run", invocation: { kind: "api" } }])
    if (parsed.kind !== "run" || parsed.invocation.kind !== "api") return
    const { invocation } = parsed
    if (invocation.input !== undefined) writeFileSync(invocation.input, text ?? "")
    const sent = await toRawRequest(ioOf(), invocation)
    const [path, query = ""] = sent.path.split("?")
    expect([sent.method, path, Object.fromEntries(new URLSearchParams(query))]).toEqual([
      request.method,
      request.path,
      request.query ?? {}
    ])
    const { headers: { "content-type": type = "application/json" } = {} } = request
    if (type !== "application/json") {
      expect(sent.headers["content-type"]).toBe(type)
      expect(Object.fromEntries(new URLSearchParams(String(sent.body)))).toEqual(request.body)
    } else expect(sent.body === undefined ? undefined : JSON.parse(String(sent.body))).toEqual(request.body)
  })
})
