import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normaliseEmail } from "../../identity/users/email.ts"
import { readDomain } from "./name.ts"

const long = (length: number) => `${`${"a".repeat(60)}.`.repeat(5)}com`.slice(-length)

describe("a domain", () => {
  it.each([
    ["acme.com", "acme.com"],
    ["  ACME.Com.  ", "acme.com"],
    ["mail.acme.co.uk", "mail.acme.co.uk"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["acme。com", "acme.com"],
    ["acme.中国", "acme.xn--fiqs8s"],
    ["acme.test", "acme.test"],
    ["acme.github.io", "acme.github.io"],
    ["www.ck", "www.ck"],
    ["3m.com", "3m.com"]
  ])("is kept in one spelling: %s", (text, domain) => {
    expect(readDomain(text)).toEqual({ domain })
  })

  it.each([
    "",
    ".",
    "..",
    "acme..com",
    ".acme.com",
    "acme.com..",
    "*.acme.com",
    "_dmarc.acme.com",
    "-acme.com",
    "acme-.com",
    "acme.com:443",
    "https://acme.com",
    "acme.com/path",
    "acme.com?x",
    "acme.com#x",
    "acme%2ecom",
    "acme.com%2f",
    "acme.com／x",
    "acme.com＃x",
    "me@acme.com",
    "acme .com",
    "acme.com\\x",
    "192.0.2.1",
    "127.1",
    "0x7f.1",
    "１２７.0.0.1",
    "[2001:db8::1]",
    "2001:db8::1",
    `${"a".repeat(64)}.com`
  ])("must be one: %j", (text) => {
    expect(readDomain(text)).toEqual({ fault: "must be a domain, as `acme.com` is" })
  })

  it.each(["com", "localhost", "acme.localhost", "acme.local", "acme.invalid", "1.168.192.in-addr.arpa", "x.onion"])(
    "is one that somebody can have alone: not %s",
    (text) => {
      expect(readDomain(text)).toEqual({ fault: "is no domain that one organization can have alone" })
    }
  )

  it.each(["co.uk", "CO.UK.", "foo.ck", "github.io", "vercel.app", "xn--55qx5d.cn", "公司.cn"])(
    "is no public suffix, also of a private registry: not %s",
    (text) => {
      expect(readDomain(text)).toEqual({ fault: "is a public suffix: anybody can have a domain below it" })
    }
  )

  it.each(["gmail.com", "GoogleMail.com", "outlook.com", "yahoo.co.uk", "fastmail.com", "mailinator.com", "qq.com"])(
    "is not where anybody can have an address: %s",
    (text) => {
      expect(readDomain(text)).toEqual({ fault: "is a domain where anybody can have an address" })
    }
  )

  it("leaves room for the name of its record", () => {
    expect(readDomain(long(230))).toMatchObject({ domain: expect.any(String) })
    expect(readDomain(long(231))).toEqual({ fault: "is too long a domain" })
  })

  it("once read is read as itself, and is that of the addresses in it", () => {
    const word = fc.string({ unit: fc.constantFrom(...Array.from("aZ9-.ü。ß中 _%/@:x")), minLength: 1, maxLength: 12 })
    const text = fc.oneof(
      fc.string(),
      fc.domain(),
      fc.tuple(word, word).map((words) => words.join("."))
    )
    fc.assert(
      fc.property(text, (text) => {
        const read = readDomain(text)
        if ("fault" in read) return
        expect(read.domain).toMatch(/^[a-z\d-]+(\.[a-z\d-]+)+$/)
        expect(readDomain(read.domain)).toEqual(read)
        expect(readDomain(`${read.domain.toUpperCase()}.`)).toEqual(read)
        expect(normaliseEmail(`ann@${read.domain}`)).toBe(`ann@${read.domain}`)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("the domain of an address", () => {
  it.each(["ann@acme.com/evil.example", "ann@acme.com?x", "ann@acme.com#x", "ann@acme%2ecom", "ann@acme.com\\evil"])(
    "is not what is left when the rest is cut off: %s",
    (text) => {
      expect(normaliseEmail(text)).toBeUndefined()
    }
  )
})
