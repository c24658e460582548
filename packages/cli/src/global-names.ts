/** Names that no generated flag may have: one of another meaning would be read differently by its place on the line. */
export const globalNames: ReadonlySet<string> = new Set([
  "base-url",
  "debug",
  "help",
  "no-color",
  "organization",
  "output",
  "profile",
  "quiet",
  "token-stdin",
  "version",
  "yes",
  // Their letters.
  "h",
  "o",
  "q",
  "v",
  "y",
  // Of some commands only, and the same wherever they are.
  "all",
  "file",
  "input",
  "limit",
  "no-wait",
  "timeout",
  "watch"
])

/** Globals that take a value: the word after them is not a command. */
export const valueGlobals: ReadonlySet<string> = new Set([
  "--base-url",
  "--organization",
  "--output",
  "--profile",
  "-o"
])
