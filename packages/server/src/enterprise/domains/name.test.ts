import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normalizeEmail } from "../../identity/users/email.ts"
import { readDomain } from "./name.ts"

const long = (length: number) => `${`${"a".repeat(60)}.`.repeat(5)}com`.slice(-length)

describe("readDomain", () => {
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
  ])("normalizes the domain %j to %s", (text, domain) => {
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
  ])("rejects %j, which is not a domain name", (text) => {
    expect(readDomain(text)).toEqual({ fault: "must be a domain name, such as acme.com" })
  })

  it.each(["com", "localhost", "acme.localhost", "acme.local", "acme.invalid", "1.168.192.in-addr.arpa", "x.onion"])(
    "rejects %s, which no organization can own",
    (text) => {
      expect(readDomain(text)).toEqual({ fault: "is not a domain that an organization can own" })
    }
  )

  it.each(["co.uk", "CO.UK.", "foo.ck", "github.io", "vercel.app", "xn--55qx5d.cn", "公司.cn"])(
    "rejects %s, which is a public suffix, also of a private registry",
    (text) => {
      expect(readDomain(text)).toEqual({ fault: "is a public suffix, under which anyone can register a domain" })
    }
  )

  it.each(["gmail.com", "GoogleMail.com", "outlook.com", "yahoo.co.uk", "fastmail.com", "mailinator.com", "qq.com"])(
    "rejects %s, where anyone can have an email address",
    (text) => {
      expect(readDomain(text)).toEqual({ fault: "is a domain where anyone can have an email address" })
    }
  )

  it("rejects a domain whose record name would be too long", () => {
    expect(readDomain(long(230))).toMatchObject({ domain: expect.any(String) })
    expect(readDomain(long(231))).toEqual({ fault: "is too long" })
  })

  it("returns a domain that it reads as itself, and that is the domain of the email addresses in it", () => {
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
        expect(normalizeEmail(`ann@${read.domain}`)).toBe(`ann@${read.domain}`)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("normalizeEmail", () => {
  it.each(["ann@acme.com/evil.example", "ann@acme.com?x", "ann@acme.com#x", "ann@acme%2ecom", "ann@acme.com\\evil"])(
    "rejects %s instead of truncating its domain",
    (text) => {
      expect(normalizeEmail(text)).toBeUndefined()
    }
  )
})
