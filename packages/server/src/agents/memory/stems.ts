/**
 * The stem of a word, without inflectional endings. The rules are intentionally simple and depend on the script,
 * because the language is unknown. Therefore the ranking treats two words with the same stem only as similar.
 */

interface Endings {
  readonly script: RegExp
  readonly prefixes?: readonly [list: ReadonlyArray<string>, times: number]
  /** Rounds of endings; each round removes the longest matching one. */
  readonly endings: ReadonlyArray<ReadonlyArray<string>>
  /** The minimum length of a stem. */
  readonly lengthMin: number
  /** Reduces a double letter at the end to one: `running`, `gatti`. */
  readonly undoubles?: true
}

const listed = (text: string) => text.split(" ").toSorted((stem, right) => right.length - stem.length)

const latin = listed(
  "ations ation ements ement ments ment ings ing ingly edly iques ique ically ical ic ies ied ie iest ier ers er ern est ed es en em et ness ences ence ances ance iones ion ions oes ao aos os as is us ungen ung lich ler lar leri lari ler ami ach ow om ar ir ly y"
)

/** Endings that may precede another ending; shorter ones would remove too much. */
const inner = latin.filter((ending) => ending.length > 2 || ending === "er" || ending === "ic")
const vowels = listed("a e i o u y")

const tables: ReadonlyArray<Endings> = [
  {
    script: /^\p{Script=Latin}/u,
    endings: [latin, inner, vowels, vowels, ["s"], vowels, vowels],
    lengthMin: 3,
    undoubles: true
  },
  {
    script: /^\p{Script=Cyrillic}/u,
    endings: [
      listed("ся сь"),
      listed(
        "ами ями ого его ому ему ыми ими иях ах ях ов ев еи ии ыи ая яя ое ее ые ие ую юю ои ом ем ам ям ы и а я о е у ю ь і ї ою ею ть ет ит ут ют ат ят ла ли ло л"
      )
    ],
    lengthMin: 3
  },
  {
    script: /^\p{Script=Greek}/u,
    endings: [listed("ματα ματοσ μα ουσ ων οσ ου οι εσ ησ ασ εισ εων ον αν ην α η ο ι ε υ ω")],
    lengthMin: 3
  },
  {
    script: /^\p{Script=Arabic}/u,
    prefixes: [listed("وال بال كال فال لل ال و"), 1],
    endings: [listed("ها ان ات ون ين يه ه ي تي ت")],
    lengthMin: 3
  },
  {
    script: /^\p{Script=Hebrew}/u,
    prefixes: [listed("ו ה ב ל כ ש"), 2],
    endings: [listed("ימ ות ה ית י")],
    lengthMin: 2
  },
  {
    script: /^\p{Script=Devanagari}/u,
    endings: [listed("ियों ियां ाओं ाएं ों ें ीं ां ी ो े ा ि ु ू")],
    lengthMin: 2
  }
]

const lengthOf = (word: string) => Array.from(word).length

const withoutPrefixes = (word: string, { prefixes, lengthMin }: Endings): string => {
  let stem = word
  for (let times = 0; times < (prefixes?.[1] ?? 0); times += 1) {
    const affix = prefixes?.[0].find((one) => stem.startsWith(one) && lengthOf(stem) - one.length > lengthMin)
    if (affix === undefined) break
    stem = stem.slice(affix.length)
  }
  return stem
}

export const stemOf = (word: string): string => {
  const table = tables.find(({ script }) => script.test(word))
  if (table === undefined) return word
  let stem = withoutPrefixes(word, table)
  for (const round of table.endings) {
    const affix = round.find((one) => stem.endsWith(one) && lengthOf(stem) - one.length >= table.lengthMin)
    if (affix !== undefined) stem = stem.slice(0, -affix.length)
    if (table.undoubles && lengthOf(stem) > table.lengthMin) stem = stem.replace(/(\p{L})\1$/u, "$1")
  }
  return stem
}
