import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CreateMailDraft, MailAddress } from "../packages/schema/src/capabilities.ts"

const isAddress = Schema.is(MailAddress)

/** The rule of the specification, implemented literally, with the limits of the mail standards. */
const isValid = (text: string): boolean => {
  const at = text.indexOf("@")
  if (at < 1 || at !== text.lastIndexOf("@") || text.length > 254) return false
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (local.length > 64 || domain === "") return false
  // No leading dot, no consecutive dots.
  if (text.startsWith(".") || text.includes("..") || local.endsWith(".")) return false
  const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
  const digits = "0123456789"
  const only = (part: string, allowed: string) => Array.from(part).every((character) => allowed.includes(character))
  if (!only(local, `${alphabet}${digits}.!#$%&'*+/=?^_\`{|}~-`)) return false
  // Domain labels of letters, digits and hyphens, final label of 2 or more letters.
  const labels = domain.split(".")
  const last = labels.at(-1) ?? ""
  return (
    labels.length >= 2 &&
    labels.every((label) => label !== "" && label.length <= 63 && only(label, `${alphabet}${digits}-`)) &&
    labels.every((label) => !label.startsWith("-") && !label.endsWith("-")) &&
    last.length >= 2 &&
    only(last, alphabet)
  )
}

const similar = fc.string({
  unit: fc.constantFrom(...'ab0.-@_+ \n\r\t\u00e9\u0131,;:<>"()'.split(""), "..", "@a.bc", ".com", "\u{1f600}"),
  maxLength: 24
})
const likely = fc
  .tuple(
    fc.string({ unit: fc.constantFrom("a", "Z", "9", ".", "+", "-", "'", "\u00fc"), minLength: 1, maxLength: 66 }),
    fc.array(fc.string({ unit: fc.constantFrom("a", "B", "7", "-"), maxLength: 65 }), { minLength: 1, maxLength: 5 }),
    fc.string({ unit: fc.constantFrom("c", "O", "m", "1", "\u212a"), maxLength: 4 })
  )
  .map(([local, labels, last]) => `${local}@${[...labels, last].join(".")}`)

describe("a recipient's email address", () => {
  it("is accepted exactly when the rule of the specification accepts it", () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.oneof(similar, likely, fc.emailAddress()), (text) => {
        accepted += isAddress(text) ? 1 : 0
        expect([text, isAddress(text)]).toEqual([text, isValid(text)])
      }),
      { numRuns: 20_000 }
    )
    expect(accepted).toBeGreaterThan(1000)
  })

  it.each(["a@b.cd", "a.b+c@sub.example.museum", "o'neil@example.com", `${"a".repeat(64)}@example.com`])(
    "is accepted: %s",
    (text) => expect(isAddress(text)).toBe(true)
  )

  it("is refused quickly when it is long and invalid", () => {
    const long = `${"a.".repeat(60)}@${"a-".repeat(60)}.${"b".repeat(80)}!`
    for (const text of [long, `a@${"a.".repeat(126)}`, `a@${"-".repeat(250)}`]) expect(isAddress(text)).toBe(false)
  })
})

it("accepts only subjects without line breaks", () => {
  const isDraft = Schema.is(CreateMailDraft)
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), (subject) => {
      if (isDraft({ to: ["a@example.com"], subject, body: "" })) {
        const breaks = ["\r", "\n", "\u000b", "\u000c", "\u0085", "\u2028", "\u2029"]
        expect(breaks.filter((character) => subject.includes(character))).toEqual([])
      }
    }),
    { numRuns: 5000 }
  )
})
