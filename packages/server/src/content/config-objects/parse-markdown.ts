/** Titles and descriptions are read only from the start of a text. */
const lookahead = 16 * 1024

/** Removes `<!-- … -->`. An unterminated comment stays and is searched for only once. */
const withoutComments = (text: string): string => {
  const parts: Array<string> = []
  let from = 0
  for (;;) {
    const start = text.indexOf("<!--", from)
    const end = start === -1 ? -1 : text.indexOf("-->", start + 4)
    if (end === -1) return parts.join("") + text.slice(from)
    parts.push(text.slice(from, start))
    from = end + 3
  }
}

/** The lines outside code fences and comments. */
const proseLines = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let codeFence: string | null = null
  for (const line of withoutComments(text.slice(0, lookahead)).split(/\r?\n/u)) {
    const marker = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1]
    if (codeFence === null && marker !== undefined) codeFence = marker
    else if (codeFence !== null) {
      if (marker?.startsWith(codeFence) === true) codeFence = null
    } else lines.push(line.trim())
  }
  return lines
}

const heading = /^#{1,6}[ \t]+(\S.*)$/u

/** The text of the first heading; "" if there is none. */
export const firstHeading = (text: string): string => {
  for (const line of proseLines(text)) {
    const words = heading.exec(line)?.[1]
    if (words !== undefined) return words.slice(0, 1000).replace(/[ \t]+#+$/u, "")
  }
  return ""
}

/** The first line that contains a word, without list or quote markers. */
export const firstLine = (text: string): string =>
  proseLines(text)
    .map((line) => line.replace(/^[>*+#\-\s]+/u, ""))
    .find((line) => line !== "") ?? ""

/** The first paragraph below the headings, as one line. */
export const firstParagraph = (text: string): string => {
  const words: Array<string> = []
  for (const line of proseLines(text)) {
    const skipped = line === "" || heading.test(line) || /^(?:[-*_=]\s*){3,}$/u.test(line)
    if (!skipped) words.push(line)
    else if (words.length > 0) break
  }
  return words.join(" ")
}
