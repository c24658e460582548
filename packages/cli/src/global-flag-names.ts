/** Flag names that no generated flag may use: its meaning would depend on its position on the command line. */
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
  // Short forms.
  "h",
  "o",
  "q",
  "v",
  "y",
  // Only some commands have these. They mean the same everywhere.
  "all",
  "file",
  "input",
  "limit",
  "no-wait",
  "timeout",
  "watch"
])

/** Global flags with a value: the word after them is not a command. */
export const valueGlobals: ReadonlySet<string> = new Set([
  "--base-url",
  "--organization",
  "--output",
  "--profile",
  "-o"
])
