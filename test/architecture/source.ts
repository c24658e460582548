/** Reads the sources as text, with enough of TypeScript's grammar to separate code, comments, strings and templates. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const root = join(import.meta.dirname, "../..")

export interface Source {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly text: string
}

/** Every handwritten TypeScript file below a folder, with and without JSX; fixtures and tests only with `tests: true`. */
export const sourcesOf = (folder: string, options: { readonly tests?: boolean } = {}): ReadonlyArray<Source> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/(^|\/)(node_modules|dist|generated)\//.test(path))
    .filter(
      (path) => options.tests === true || !/\.(test|fixture)\.tsx?$|\/fixtures\/|\/test\/|\/test-[\w-]+\.ts$/.test(path)
    )
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

export interface Template {
  /** The identifier before the backtick, without type arguments; "" if there is none. */
  readonly tag: string
  /** The function that returns it: `name` of `const name = (…) => sql`. */
  readonly name: string | undefined
  readonly line: number
  /** As written, with `${…}` around each placeholder. */
  readonly text: string
}

interface Parts {
  /** The code, with comments and the contents of strings and templates replaced by blanks. Line numbers stay the same. */
  readonly code: string
  readonly templates: ReadonlyArray<Template>
}

const blank = (text: string) => text.replace(/[^\n]/g, " ")

const tagBefore = (code: string): { readonly tag: string; readonly name: string | undefined } => {
  let end = code.length
  if (code[end - 1] === ">") {
    let depth = 0
    do {
      end -= 1
      if (code[end] === ">" && code[end - 1] !== "=") depth += 1
      if (code[end] === "<") depth -= 1
    } while (end > 0 && depth > 0)
  }
  const before = code.slice(0, end)
  const tag = /([\w$.]+)$/.exec(before)?.[1] ?? ""
  const arrow = /\bconst (\w+)\s*=\s*(?:<[^=]*?>)?\([^`]*?\)(?::[^=;]+?)?\s*=>[^;`]*$/.exec(
    before.slice(Math.max(0, before.length - 900), before.length - tag.length)
  )
  // The nearest declaration: an earlier one may match across several lines.
  const names = [...(arrow?.[0] ?? "").matchAll(/\bconst (\w+)\s*=/g)]
  return { tag, name: names.at(-1)?.[1] }
}

/** Splits a file. The preceding characters distinguish regular expressions from divisions. */
export const partsOf = (text: string): Parts => {
  const templates: Array<Template> = []
  let code = ""
  let at = 0

  const quoted = (quote: string) => {
    const start = at
    at += 1
    while (at < text.length && text[at] !== quote && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1
    at += 1
    code += quote + blank(text.slice(start + 1, at - 1)) + quote
  }

  const template = () => {
    const { name, tag } = tagBefore(code)
    const start = at
    const line = text.slice(0, start).split("\n").length
    at += 1
    code += "`"
    while (at < text.length && text[at] !== "`") {
      if (text[at] === "\\") {
        code += "  "
        at += 2
      } else if (text.startsWith("${", at)) {
        code += "${"
        at += 2
        run("}")
        code += "}"
        at += 1
      } else {
        code += text[at] === "\n" ? "\n" : " "
        at += 1
      }
    }
    templates.push({ tag, name, line, text: text.slice(start + 1, at) })
    code += "`"
    at += 1
  }

  const run = (until: string | undefined) => {
    let depth = 0
    while (at < text.length) {
      const here = text[at] ?? ""
      if (until !== undefined && depth === 0 && here === until) return
      if (text.startsWith("//", at)) {
        const end = text.indexOf("\n", at)
        const stop = end === -1 ? text.length : end
        code += blank(text.slice(at, stop))
        at = stop
      } else if (text.startsWith("/*", at)) {
        const stop = text.indexOf("*/", at) + 2
        code += blank(text.slice(at, stop))
        at = stop
      } else if (here === '"' || here === "'") quoted(here)
      else if (here === "`") template()
      else if (here === "/" && /(?:[=(,:?!&|{;[]|\breturn|=>)\s*$/.test(code.slice(-12))) {
        const pattern = /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+\/\w*/.exec(text.slice(at))?.[0] ?? here
        code += blank(pattern)
        at += pattern.length
      } else {
        if (here === "{") depth += 1
        if (here === "}") depth -= 1
        code += here
        at += 1
      }
    }
  }
  run(undefined)
  return { code, templates: templates.sort((a, b) => a.line - b.line) }
}

export interface Import {
  readonly from: string
  readonly typeOnly: boolean
}

/** The modules that a file imports or re-exports, statically or by `import()`. */
export const importsOf = (text: string): ReadonlyArray<Import> => {
  const { code } = partsOf(text)
  const imports: Array<Import> = []
  for (const match of code.matchAll(/^(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*"|\bimport\(\s*"/gm)) {
    const start = match.index + match[0].length
    imports.push({
      from: text.slice(start, text.indexOf('"', start)),
      typeOnly: /^(?:import|export) type\b/.test(match[0])
    })
  }
  return imports
}
