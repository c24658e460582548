import { describe, expect, it } from "vitest"
import { CodeHostFailed } from "../../ports/code-host.ts"
import { addressesOf, fullNameOf, normalizeRemote } from "./clone-url.ts"

const refusal = (typed: string, allowHttp = false): string => {
  try {
    return `accepted as ${normalizeRemote(typed, allowHttp)}`
  } catch (cause) {
    if (cause instanceof CodeHostFailed) return `${cause.code}: ${cause.message}`
    throw cause
  }
}

describe("normalizeRemote", () => {
  it.each([
    ["https://host.example/team/plugins", "https://host.example/team/plugins"],
    ["https://HOST.Example./team/plugins.git", "https://host.example/team/plugins"],
    ["HTTPS://host.example:443/team//plugins.git/", "https://host.example/team/plugins"],
    ["https://host.example:8443/Team/Plugins/", "https://host.example:8443/Team/Plugins"],
    ["  https://host.example/a/../team/./plugins.git.git  ", "https://host.example/team/plugins"],
    ["https://host.example/srv/.git", "https://host.example/srv/.git"],
    ["https://b\u00fccher.example/a/%c3%a9", "https://xn--bcher-kva.example/a/%C3%A9"],
    ["https://0x7f.1/a/b", "https://127.0.0.1/a/b"],
    ["https://[2001:DB8::0:1]/a/b", "https://[2001:db8::1]/a/b"]
  ])("normalizes the clone URL %s", (typed, normal) => {
    expect(normalizeRemote(typed, false)).toBe(normal)
    expect(normalizeRemote(normal, false)).toBe(normal)
  })

  it("allows http clone URLs only when plain http is allowed", () => {
    expect(normalizeRemote("http://host.example:80/a/b", true)).toBe("http://host.example/a/b")
    expect(refusal("http://host.example/a/b")).toContain("must use https")
  })

  it("tries a clone URL with and without .git, and derives the name from its last two segments", () => {
    expect(addressesOf("https://h.example/a/b")).toEqual(["https://h.example/a/b.git", "https://h.example/a/b"])
    expect(addressesOf("https://h.example/a/.git")).toEqual(["https://h.example/a/.git"])
    expect(fullNameOf("https://h.example/x/team/plugins")).toBe("team/plugins")
    expect(fullNameOf("https://h.example/plugins")).toBe("plugins")
  })
})

describe("an invalid clone URL", () => {
  it.each([
    ["ssh://git@host.example/a/b", "SSH"],
    ["git@host.example:a/b.git", "SSH"],
    ["host.example:a/b", "SSH"],
    ["git://host.example/a/b", "git protocol"],
    ["ext::sh -c touch% /tmp/x", "helpers"],
    ["fd::17", "helpers"],
    ["ftp://host.example/a", "https://"],
    ["-uhttps://host.example/a", "https://"],
    ["--upload-pack=touch /tmp/x", "https://"],
    ["relative/path", "https://"],
    ["", "https://"],
    ["https://user:secret@host.example/a/b", "user name"],
    ["https://secret@host.example/a/b", "user name"],
    ["https://@host.example/a/b", "user name"],
    ["https://host.example/a/b?x=secret", "query"],
    ["https://host.example/a/b#x", "fragment"],
    ["https://host.example/a/b?", "query"],
    ["https://host.example", "no repository"],
    ["https://host.example//", "no repository"],
    ["https://host.example/a\\b", "characters"],
    ["https://host.example/a b", "characters"],
    ["https://host.example/a\nb", "characters"],
    ["https:///a/b c", "characters"],
    [`https://host.example/${"a".repeat(3000)}`, "at most 2048 characters"]
  ])("is rejected with a clear message: %s", (typed, text) => {
    const message = refusal(typed)
    expect(message).toContain("not_a_repository")
    expect(message).toContain(text)
    expect(message).not.toContain("secret")
  })
})

it.each([
  "https://h.example/%zz/x",
  "https://h.example/%ff/x",
  "https://h.example/a%00/b",
  "https://h.example/%ED%A0%80/b"
])("rejects the clone URL %s, whose path is not text", (address) => {
  expect(() => normalizeRemote(address, false)).toThrow()
})
