/** Flag names that no generated flag may use: its meaning would depend on its position on the command line. */
export const globalNames: ReadonlySet<string> = new Set([
  "base-url",
  "debug",
  "help",
  "jq",
  "json",
  "no-color",
  "no-pager",
  "organization",
  "output",
  "profile",
  "quiet",
  "template",
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
  "wait",
  "watch"
])

/** Global flags with a value: the word after them is not a command. */
export const valueGlobals: ReadonlySet<string> = new Set([
  "--base-url",
  "--jq",
  "--json",
  "--organization",
  "--output",
  "--profile",
  "--template",
  "-o"
])
