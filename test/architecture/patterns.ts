/** Parses regular expressions far enough to find those that may take more than linear time. */
import type { Source } from "./source.ts"

export interface Pattern {
  readonly path: string
  /** As written, between the slashes. */
  readonly source: string
  readonly flags: string
}

const literal =
  /(?:^|[=(,:[!&|?{};>]|\breturn)\s*\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)(?![\w/])/gm

export const patternsOf = ({ path, text }: Source): ReadonlyArray<Pattern> =>
  [...text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, "").matchAll(literal)].map(([, source = "", flags = ""]) => ({
    path,
    source,
    flags
  }))

interface Atom {
  readonly kind: "group" | "lookahead" | "lookbehind" | "other"
  readonly ways: ReadonlyArray<ReadonlyArray<Item>>
  /** An anchor or a lookaround: it consumes no character. */
  readonly isEmpty: boolean
  /** Matches any character, so it may consume all following text. */
  readonly isAny: boolean
}
interface Item extends Atom {
  readonly isUnbounded: boolean
  readonly mayBeNothing: boolean
}

const quantifier = /[*+?]\??|\{(\d+)(,?)(\d*)\}\??/y

const parse = (source: string): ReadonlyArray<ReadonlyArray<Item>> => {
  let at = 0
  const waysOf = (): ReadonlyArray<ReadonlyArray<Item>> => {
    const ways: Array<Array<Item>> = [[]]
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at += 1
        ways.push([])
        continue
      }
      const atom = atomOf()
      quantifier.lastIndex = at
      const match = quantifier.exec(source)
      if (match !== null) at = quantifier.lastIndex
      const [sign = "", least, comma, most] = match ?? []
      const isUnbounded = /^[*+]/.test(sign) || (least !== undefined && comma === "," && most === "")
      ways.at(-1)?.push({ ...atom, isUnbounded, mayBeNothing: /^[*?]/.test(sign) || least === "0" })
    }
    return ways
  }
  const atomOf = (): Atom => {
    const plain: Atom = { kind: "other", ways: [], isEmpty: false, isAny: false }
    if (source[at] === "(") {
      const [open = "("] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(source.slice(at)) ?? []
      at += open.length
      const ways = waysOf()
      at += 1
      const kind =
        open.startsWith("(?<=") || open.startsWith("(?<!")
          ? "lookbehind"
          : /^\(\?[=!]/.test(open)
            ? "lookahead"
            : "group"
      return { kind, ways, isEmpty: kind !== "group", isAny: false }
    }
    if (source[at] === "[") {
      const from = at
      for (at += 1; at < source.length && source[at] !== "]"; at += 1) if (source[at] === "\\") at += 1
      at += 1
      return { ...plain, isAny: ["[^]", "[\\s\\S]", "[\\S\\s]", "[\\d\\D]"].includes(source.slice(from, at)) }
    }
    if (source[at] === "\\") {
      const [escape = "\\"] =
        /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|k<\w+>|.)/.exec(source.slice(at)) ?? []
      at += escape.length
      return { ...plain, isEmpty: /^\\[bB]$/.test(escape) }
    }
    const character = source[at]
    at += 1
    return { ...plain, isEmpty: character === "^" || character === "$", isAny: character === "." }
  }
  return waysOf()
}

const holds = (ways: ReadonlyArray<ReadonlyArray<Item>>, is: (item: Item) => boolean): boolean =>
  ways.some((way) => way.some((item) => is(item) || holds(item.ways, is)))

const isRepeated = (item: Item) => item.isUnbounded

/**
 * Whether an alternative begins with an unbounded run and continues: a match attempt from each character of the run is
 * quadratic.
 */
const runsFirst = (ways: ReadonlyArray<ReadonlyArray<Item>>): boolean =>
  ways.some((way) => {
    const [first, ...rest] = way
    if (first === undefined) return false
    // Skip items that may match nothing.
    if (first.isUnbounded) return rest.some((item) => !item.mayBeNothing)
    if (first.kind === "group") return runsFirst(first.ways.map((inner) => [...inner, ...rest]))
    return false
  })

/**
 * Whether an alternative starts anywhere and runs over any text to an end that may not exist, so that each start scans
 * to the end.
 */
const runsOn = (ways: ReadonlyArray<ReadonlyArray<Item>>): boolean =>
  ways.some((way) => {
    if (way[0]?.isEmpty === true) return false
    return way.some(
      (item, index) =>
        (item.isAny && item.isUnbounded && way.slice(index + 1).some((next) => !next.mayBeNothing && !next.isEmpty)) ||
        (item.kind === "group" && runsOn(item.ways))
    )
  })

/** Why a pattern may take more than linear time; undefined when it cannot for any of these reasons. */
export const costOf = ({ flags, source }: Pick<Pattern, "flags" | "source">): string | undefined => {
  const ways = parse(source)
  if (holds(ways, (item) => item.kind === "lookbehind" && holds(item.ways, isRepeated)))
    return "has a lookbehind with a repetition"
  if (holds(ways, (item) => item.kind === "lookahead" && holds(item.ways, isRepeated)))
    return "has a lookahead with a repetition"
  if (holds(ways, (item) => item.isUnbounded && holds(item.ways, isRepeated))) return "has nested repetitions"
  if (!flags.includes("y") && runsFirst(ways)) return "begins with an unbounded repetition"
  if (!flags.includes("y") && runsOn(ways)) return "repeats any character before an end"
  return undefined
}
