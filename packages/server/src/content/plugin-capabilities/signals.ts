/** Parts of files that a reviewer should read. They never replace an element of the set. */
import type { Signal, SignalRule } from "@orgplane/schema/plugin-capabilities"
import { normalize } from "../../infra/normalize.ts"
import { show } from "./elements.ts"
import { makeLines } from "./lines.ts"
import { secretsIn } from "./secrets.ts"

const invisible =
  /\u034f|\u17b4|\u17b5|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e0fff}]/gu
const bidirectional = /[\u202a-\u202e\u2066-\u2069]/gu
const downloadToShell =
  /\b(?:curl|wget|fetch|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b[^\n]{0,300}?\|\s{0,5}(?:sudo\s{1,5}|env\s{1,5}){0,3}(?:\S{0,100}\/)?(?:sh|bash|zsh|dash|ksh|python3?|node|perl|ruby|php|iex|Invoke-Expression|pwsh)\b|\b(?:ba|z|da)?sh\b[^\n]{0,100}(?:<\(|\$\(|`)\s{0,5}(?:curl|wget)\b|\beval\b[^\n]{0,100}\b(?:curl|wget)\b/giu
const encoded = /[A-Za-z0-9+/_-]{24,20000}={0,2}/gu
const shellText =
  /^#!|\b(?:curl|wget|nc|bash|sh|chmod|eval|exec|powershell|python3?|rm)\b[ \t]|\/bin\/(?:ba)?sh|\/dev\/tcp\/|\$\(|Invoke-/u
const hiddenElement =
  /<[a-z][a-z0-9]{0,20}[^<>]{0,500}\bstyle\s{0,5}=\s{0,5}["'][^"'<>]{0,300}(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden|font-size\s{0,5}:\s{0,5}0|opacity\s{0,5}:\s{0,5}0|color\s{0,5}:\s{0,5}(?:#fff(?:fff)?\b|white\b|transparent\b))|<[a-z][a-z0-9]{0,20}[^<>]{0,500}\shidden(?:[\s=>])/giu

/** Plugins and vendors that an attacker would imitate. */
const wellKnown = [
  "anthropic",
  "claude",
  "claude-code",
  "code-review",
  "context7",
  "figma",
  "github",
  "gitlab",
  "google",
  "linear",
  "notion",
  "openai",
  "playwright",
  "sentry",
  "slack",
  "stripe",
  "supabase",
  "superpowers",
  "vercel"
]

const lookAlikes: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  "3": "e",
  "5": "s",
  "|": "l",
  а: "a",
  с: "c",
  е: "e",
  і: "l",
  ј: "j",
  о: "o",
  р: "p",
  ѕ: "s",
  у: "y",
  х: "x",
  к: "k",
  м: "m",
  т: "t",
  в: "b",
  н: "h",
  ԁ: "d",
  ɡ: "g",
  ο: "o",
  α: "a",
  ε: "e",
  ι: "l",
  κ: "k",
  ν: "v",
  ρ: "p",
  τ: "t",
  υ: "u",
  ı: "l",
  i: "l"
}

/** Equal for names that look alike: without marks and separators, with one letter for each group of similar letters. */
export const skeletonOf = (name: string): string =>
  normalize(name, "NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}\s._-]/gu, "")
    .replaceAll(/./gu, (char) => lookAlikes[char] ?? char)
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

const bySkeleton = new Map(wellKnown.map((name) => [skeletonOf(name), name]))

/** The well-known name that a name resembles without being it. */
export const resembles = (name: string): string | undefined => {
  const match = bySkeleton.get(skeletonOf(name))
  return match === undefined || match === name.toLowerCase() ? undefined : match
}

const signalsPerRule = 20

const decodesToShell = (blob: string): boolean => {
  const bytes = Buffer.from(blob.replaceAll("-", "+").replaceAll("_", "/"), "base64")
  const decoded = bytes.toString("latin1")
  // Random bytes contain words too; a script is printable.
  return bytes.length > 8 && /^[\t\n\r\x20-\x7e]+$/u.test(decoded) && shellText.test(decoded)
}

/** The positions of comments that are not empty. */
const commentsIn = function* (text: string): Generator<number> {
  for (let start = text.indexOf("<!--"); start !== -1;) {
    const end = text.indexOf("-->", start + 4)
    if (end === -1 || /[^\s-]/u.test(text.slice(start + 4, Math.min(end, start + 1000)))) yield start
    if (end === -1) return
    start = text.indexOf("<!--", end)
  }
}

/** Returns whether a rule is on, for a query's list of rules that are turned off. */
export const rulesWithout = (disabledRules: string | undefined): ((rule: SignalRule) => boolean) => {
  const disabled = new Set<string>(disabledRules?.split(","))
  return (rule) => !disabled.has(rule)
}

/** The signals of one text file, at most 20 for each rule. */
export const signalsOf = (
  path: string,
  text: string,
  isEnabled: (rule: SignalRule) => boolean
): ReadonlyArray<Signal> => {
  const signals: Array<Signal> = []
  const lines = makeLines(text)
  const report = (rule: SignalRule, indexes: Iterable<number>, message: string) => {
    if (!isEnabled(rule)) return
    const seen = new Set<number>()
    for (const index of indexes) {
      const line = lines.at(index)
      if (seen.has(line)) continue
      if (seen.size === signalsPerRule) break
      seen.add(line)
      signals.push({ rule, path: show(path, 1100), line, message })
    }
  }
  const starts = function* (pattern: RegExp, isMatch: (match: string, index: number) => boolean = () => true) {
    for (const match of text.matchAll(pattern)) if (isMatch(match[0], match.index)) yield match.index
  }
  report("secret_in_file", secretsIn(text), "The file contains a value that has the form of a credential.")
  report(
    "invisible_unicode",
    starts(invisible, (char, index) => !(char === "\ufeff" && index === 0)),
    "The line contains characters that are not visible."
  )
  report(
    "bidirectional_control",
    starts(bidirectional),
    "The line contains characters that change the order in which text is shown."
  )
  report("download_to_shell", starts(downloadToShell), "The line runs a downloaded script.")
  report(
    "encoded_shell",
    starts(encoded, decodesToShell),
    "The line contains base64 text that decodes to a shell command."
  )
  if (/\.(?:md|markdown|mdx|html)$/iu.test(path)) {
    report(
      "hidden_instructions",
      [...commentsIn(text), ...starts(hiddenElement)],
      "The line contains text that is hidden when the file is rendered."
    )
  }
  return signals
}
