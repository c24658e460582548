/** Pages with the programs in `examples/` that documents link to. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { codeBlock } from "./markdown.ts"

const root = join(import.meta.dirname, "..")
const languages: Readonly<Record<string, string>> = { ".ts": "ts", ".js": "js", ".mjs": "js", ".html": "html" }
const sharedFile = "examples/embed/control-plane.ts"

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(folder, name.replaceAll("\\", "/")))
    .filter((file) => languages[posix.extname(file)] !== undefined && !file.includes("/node_modules/"))
    .sort()

/** The files of the example that a file belongs to. A recipe is a folder, with the file that most recipes import. */
const filesOf = (file: string): ReadonlyArray<string> => {
  const [folder] = /^examples\/embed\/[^/]+(?=\/)/u.exec(file) ?? []
  if (folder === undefined) return [file]
  const files = filesIn(folder)
  const importsShared = files.some((each) =>
    /from "\.\.\/control-plane\.ts"/u.test(readFileSync(join(root, each), "utf8"))
  )
  return importsShared ? [...files, sharedFile] : files
}

/** The page of the example that contains a file, without a leading slash. Undefined for other files. */
export const examplePage = (file: string): string | undefined => {
  if (!file.startsWith("examples/") || file.endsWith(".test.ts")) return undefined
  if (languages[posix.extname(file)] === undefined) return undefined
  if (!existsSync(join(root, file))) return undefined
  return (/^examples\/embed\/[^/]+(?=\/)/u.exec(file)?.[0] ?? file).replace(/\.\w+$/u, "")
}

/** The text of the page of an example. */
export const exampleText = (file: string): string => {
  const page = examplePage(file) ?? file
  return [
    `# ${posix.basename(page)}`,
    `The example \`${page}\` of the repository. A test runs it.`,
    ...filesOf(file).flatMap((each) => [
      `## ${each.replace(/^examples\/(?:embed\/)?/u, "")}`,
      codeBlock(languages[posix.extname(each)] ?? "txt", readFileSync(join(root, each), "utf8").trimEnd())
    ])
  ].join("\n\n")
}
