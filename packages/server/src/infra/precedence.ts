/** Decides which of several policies or assignments applies to a member, and explains why the others lost. */

/** How specifically something applies to a member. */
export type Specificity = "member" | "team" | "organization"

/** The specificities, closest first. SQL statements return their index. */
export const specificities: ReadonlyArray<Specificity> = ["member", "team", "organization"]

/** The fields that every candidate has. */
export interface Ranked {
  /** Null for one that a simulation would create; it counts as the newest. */
  readonly id: string | null
  readonly priority: number
  readonly createdAt: Date | null
  readonly through: Specificity
}

/** A comparison is less than 0 when `a` takes precedence over `b`. */
export type Rule<Name extends string, Candidate> = readonly [
  name: Name,
  compare: (a: Candidate, b: Candidate) => number
]

const ages = (a: Date | null, b: Date | null) => (a?.getTime() ?? Infinity) - (b?.getTime() ?? Infinity)

export const byPriority: Rule<"priority", Ranked> = ["priority", (a, b) => b.priority - a.priority]

export const bySpecificity: Rule<"specificity", Ranked> = [
  "specificity",
  (a, b) => specificities.indexOf(a.through) - specificities.indexOf(b.through)
]

export const byAge: Rule<"age", Ranked> = [
  "age",
  // Two missing times are equal: only the simulated candidate has no creation time.
  (a, b) => (a.createdAt === b.createdAt ? 0 : ages(a.createdAt, b.createdAt))
]

export const byId: Rule<"id", Ranked> = ["id", (a, b) => ((a.id ?? "~") < (b.id ?? "~") ? -1 : 1)]

export interface Explained<Name extends string, Entry> {
  readonly winner: Entry | undefined
  readonly losers: ReadonlyArray<{ readonly entry: Entry; readonly lostBy: Name }>
  readonly loserCount: number
  /** The rule by which the winner took precedence over the runner-up; undefined without a runner-up. */
  readonly rule: Name | undefined
}

/** The rules in the order in which they are applied. `last` distinguishes candidates that no rule distinguishes. */
export const makePrecedence = <Name extends string, Candidate>(
  rules: ReadonlyArray<Rule<Name, Candidate>>,
  last: Name
) => {
  const compare = (a: Candidate, b: Candidate): number => {
    for (const [, rule] of rules) {
      const order = rule(a, b)
      if (order !== 0) return order
    }
    return 0
  }

  /** The one that takes precedence. */
  const better = (a: Candidate | undefined, b: Candidate | undefined): Candidate | undefined =>
    a === undefined || (b !== undefined && compare(b, a) < 0) ? b : a

  /** The first rule that distinguishes the two. */
  const lostBy = (winner: Candidate, loser: Candidate): Name =>
    rules.find(([, rule]) => rule(winner, loser) !== 0)?.[0] ?? last

  /** Explains the first of sorted entries. At most `losersMax` of the others are listed. */
  const explain = <Entry>(
    sorted: ReadonlyArray<Entry>,
    candidateOf: (entry: Entry) => Candidate,
    losersMax: number
  ): Explained<Name, Entry> => {
    const [winner, ...losers] = sorted
    if (winner === undefined) return { winner, losers: [], loserCount: 0, rule: undefined }
    const listed = losers.slice(0, losersMax).map((entry) => ({
      entry,
      lostBy: lostBy(candidateOf(winner), candidateOf(entry))
    }))
    return { winner, losers: listed, loserCount: losers.length, rule: listed[0]?.lostBy }
  }

  return { compare, better, explain } as const
}
