/**
 * What is left of a word without its endings, so that inflections meet. Light on purpose, by script and not by language,
 * since nobody says in which language a memory is: two words of one stem are only nearly the same (the ranking says so).
 */

interface Endings {
  readonly script: RegExp
  readonly beginnings?: readonly [list: ReadonlyArray<string>, times: number]
  /** Rounds of endings, each taken off once; the longest that fits goes. */
  readonly endings: ReadonlyArray<ReadonlyArray<string>>
  /** Letters that stay at least. */
  readonly rest: number
  /** Of a letter twice at the end one stays: `running`, `gatti`. */
  readonly undoubles?: true
}

const listed = (text: string) => text.split(" ").toSorted((left, right) => right.length - left.length)

const latin = listed(
  "ations ation ements ement ments ment ings ing ingly edly iques ique ically ical ic ies ied ie iest ier ers er ern est ed es en em et ness ences ence ances ance iones ion ions oes ao aos os as is us ungen ung lich ler lar leri lari ler ami ach ow om ar ir ly y"
)

/** What may be left behind an ending; the short ones would take away too much. */
const inner = latin.filter((ending) => ending.length > 2 || ending === "er" || ending === "ic")
const vowels = listed("a e i o u y")

const tables: ReadonlyArray<Endings> = [
  {
    script: /^\p{Script=Latin}/u,
    endings: [latin, inner, vowels, vowels, ["s"], vowels, vowels],
    rest: 3,
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
    rest: 3
  },
  {
    script: /^\p{Script=Greek}/u,
    endings: [listed("ματα ματοσ μα ουσ ων οσ ου οι εσ ησ ασ εισ εων ον αν ην α η ο ι ε υ ω")],
    rest: 3
  },
  {
    script: /^\p{Script=Arabic}/u,
    beginnings: [listed("وال بال كال فال لل ال و"), 1],
    endings: [listed("ها ان ات ون ين يه ه ي تي ت")],
    rest: 3
  },
  {
    script: /^\p{Script=Hebrew}/u,
    beginnings: [listed("ו ה ב ל כ ש"), 2],
    endings: [listed("ימ ות ה ית י")],
    rest: 2
  },
  {
    script: /^\p{Script=Devanagari}/u,
    endings: [listed("ियों ियां ाओं ाएं ों ें ीं ां ी ो े ा ि ु ू")],
    rest: 2
  }
]

const lengthOf = (word: string) => Array.from(word).length

const withoutBeginnings = (word: string, { beginnings, rest }: Endings): string => {
  let left = word
  for (let times = 0; times < (beginnings?.[1] ?? 0); times += 1) {
    const found = beginnings?.[0].find((one) => left.startsWith(one) && lengthOf(left) - one.length > rest)
    if (found === undefined) break
    left = left.slice(found.length)
  }
  return left
}

export const stemOf = (word: string): string => {
  const table = tables.find(({ script }) => script.test(word))
  if (table === undefined) return word
  let left = withoutBeginnings(word, table)
  for (const round of table.endings) {
    const found = round.find((one) => left.endsWith(one) && lengthOf(left) - one.length >= table.rest)
    if (found !== undefined) left = left.slice(0, -found.length)
    if (table.undoubles && lengthOf(left) > table.rest) left = left.replace(/(\p{L})\1$/u, "$1")
  }
  return left
}
