/** A phrase that readers have to decode, and what to write instead. */
export interface Phrase {
  readonly pattern: RegExp
  readonly instead: string
}

const phrase = (pattern: RegExp, instead: string): Phrase => ({ pattern, instead })

/** Phrases of sentences: comments, messages, summaries, documents, test names. */
export const phrases: ReadonlyArray<Phrase> = [
  phrase(/\b(?:is|are|was|were|be|been|being|gets?|got) answered\b/i, "is returned, responds with, returns"),
  phrase(/\banswers (?:with |the |a |an |every |each |all |its |[1-5]\d\d\b)/i, "returns, responds with"),
  phrase(/\b(?:an?|the|every|each|its) answers?\b/i, "response, result"),
  phrase(
    /\b(?:says|tells) (?:whether|what|who|how|where|it|that|of)\b/i,
    "states, shows, reports, or an imperative verb"
  ),
  phrase(/\b(?:is|are|was|were|been|be) (?:told|said)\b/i, "receives, is given, is documented"),
  phrase(/\bunless (?:told|said|asked)\b/i, "Default: X"),
  phrase(
    /\bnobody's\b|\bno ?body (?:else|knows|has|can|may|waits|reads|asks|uses|needs|claimed)\b/i,
    "no user, no one else, without an owner"
  ),
  phrase(/\bsomebody\b|\bsomeone's\b/i, "a user, another user, an administrator"),
  phrase(/\bwhoever\b/i, "anyone who, the user who, the caller"),
  phrase(/\bwhatever (?:it|they|is|comes|else|there)\b/i, "any, regardless of"),
  phrase(/\b(?:of|by) one's own\b/i, "your own, its own"),
  phrase(/\btwice changes nothing\b|\bchanges nothing twice\b/i, "idempotent"),
  phrase(/\bgood (?:for|until|till) (?!measure|practice)/i, "valid for, valid until"),
  phrase(/\bno longer good\b|\bis over and\b|\bwhat is over\b|\bare over\b/i, "expired"),
  phrase(/\b(?:those|people|whoever) who administers?\b/i, "administrators"),
  phrase(/\bmade anew\b|\banew\b/i, "recreated, again"),
  phrase(/\bstands? (?:once|there|where|before|under|beside)\b/i, "is in, appears in, is listed in"),
  phrase(/\bbegins? to\b(?! (?:install|run|read|write|with))/i, "starts"),
  phrase(/\bin (?:its|their|his) turn\b|\bin turns\b/i, "in time slices, one after another"),
  phrase(/\blooks? (?:out )?(?:whether|if)\b|\basks? whether\b/i, "checks whether"),
  phrase(/\bway out\b/i, "outbound HTTP client"),
  phrase(/\bslip of the pen\b/i, "typo, edit distance"),
  phrase(/\bletters? (?:to|lie|was|were|goes|go)\b/i, "email"),
  phrase(
    /normalis|synchronis|recognis|organis|initialis|serialis|authoris|summaris|analyse|behaviour|catalogue|colour|neighbour/i,
    "the American spelling"
  ),
  phrase(/\bhands? out\b/i, "issues, returns"),
  phrase(/\bun(?:make|makes|made|making)\b/i, "deprovision, remove, revoke"),
  phrase(/\b(?:is|are) to be (?:had|found|seen|given|read|made|done|kept)\b/i, "must be, can be"),
  phrase(/\bmust not be nobody\b|\bis nobody\b/i, "is not a user, has no account"),
  phrase(/\ba way to look\b|\bno way to\b/i, "cannot"),
  phrase(/\bnot understood\b/i, "usage error, is not valid"),
  phrase(/\btakes? the tables\b/i, "runs schema migrations"),
  phrase(/\bshut in\b|\bfenced? in\b/i, "isolated to one organization, restricted by row-level security"),
  phrase(/\bbroken bodies\b/i, "malformed bodies"),
  phrase(/\b[Pp]rovisional (?:workspaces?|organizations?)\b/, "unclaimed workspace"),
  phrase(/\bnothing of (?:the|it|them|its|this)\b(?! kind)/, "no part of, no data from"),
  phrase(/\banother [a-z]+(?: [a-z]+)? than\b/i, "a server other than, a different server"),
  phrase(/\bseconds since 1970\b/i, "a Unix timestamp in seconds"),
  phrase(/\bthis may not be an?\b/i, "the server might not be"),
  phrase(/\bat (?:the|a) code host\b/i, "on the code host"),
  phrase(/\bwhatever the (?:result|outcome|names?|query|order of events)\b/i, "regardless of"),
  phrase(
    /\b(?:path|identifier|body|request|type|value|filter|name|ID|key|one|operation) is [45]\d\d\b/,
    "returns 400, or the response is 400"
  ),
  phrase(/\bby emailed code\b/i, "with an emailed code"),
  phrase(/\b(?:counts?|stores?) nothing twice\b/i, "counts no event twice"),
  phrase(/\bdecides? (?:reviews|held|holds)\b/i, "accepts or rejects, approves or rejects"),
  phrase(/\bdead candidates?\b/i, "failing candidate URL"),
  phrase(/\btold apart\b/i, "distinguished, detected"),
  phrase(/\bat the earliest\b/i, "after at least"),
  phrase(/\bus a request\b/i, "µs per request"),
  phrase(/\bExpected ObjectType\b/, "must be one of: skill, agent, …")
]

/** Private names for ordinary things, as whole identifiers. */
export const identifiers: Readonly<Record<string, string>> = {
  manners: "metadata",
  mannersOf: "metadataOf",
  told: "credential, or what the value is",
  Told: "a noun for what the type is",
  asked: "request, query, requested",
  Asked: "SearchQuery, Request",
  said: "options, message, or what the value is",
  Said: "a noun for what the type is",
  found: "existingGrant, row, match",
  Found: "Match, Row",
  known: "credential, existing, cached",
  Known: "a noun for what the type is",
  gone: "removed, expired",
  inTurn: "inTimeSlices",
  inTurns: "inTimeSlices",
  headOf: "headersOf, headerOf",
  letter: "email",
  letters: "emails",
  fence: "isolation",
  rooms: "routes"
}
