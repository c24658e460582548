/** Markdown of the generated pages. */

/** The anchor of a heading, as GitHub writes it. */
export const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The chapters of a page at its headings of a level. The first one is the introduction. */
export const chaptersOf = (text: string, level: "##" | "###"): ReadonlyArray<string> =>
  text.split(level === "##" ? /^(?=## )/mu : /^(?=### )/mu)

/** The text of the first heading below the first level. */
export const headingOf = (chapter: string): string => /^##+ (.*)$/mu.exec(chapter)?.[1] ?? ""

/** A code block; `info` is its language, and its label in brackets. */
export const codeBlock = (info: string, code: string): string => {
  if (/^```/mu.test(code)) throw new Error(`A code block contains another one:\n${code}`)
  return `\`\`\`${info}\n${code}\n\`\`\``
}

/** A table. Cells are Markdown on one line. */
export const table = (headers: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [headers, headers.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`)
    .join("\n")

/** Shows the URLs of a text as code. Otherwise they are links, and those of a server of the reader lead nowhere. */
export const withUrlsAsCode = (text: string): string => text.replaceAll(/https?:\/\/[^\s`]*[\w/]/gu, "`$&`")

/** Text outside code is not a template: tags in it are escaped, and braces are not allowed. */
export const withoutTemplates = (text: string): string =>
  text
    .split(/(^```[\s\S]*?^```|`[^`\n]+`)/mu)
    .map((part) => {
      if (part.startsWith("`")) return part
      if (part.includes("{{")) throw new Error(`Write double braces as code: ${/.*\{\{.*/u.exec(part)?.[0] ?? ""}`)
      return part.replaceAll("<", "&lt;")
    })
    .join("")
