import { expect, it } from "vitest"
import { hidden, withoutSecrets } from "./secrets.ts"

it("replaces secrets at any depth, and nothing else", () => {
  const input = {
    name: "GitHub",
    apiKey: "sk-1",
    auth: { clientId: "abc", clientSecret: "s3cret" },
    headers: { "x-team": "platform", nested: ["one"] },
    list: [{ token: "t", kind: "bearer" }, "plain"],
    password: null
  }
  expect(withoutSecrets(input)).toEqual({
    name: "GitHub",
    apiKey: hidden,
    auth: { clientId: "abc", clientSecret: hidden },
    headers: { "x-team": hidden, nested: [hidden] },
    list: [{ token: hidden, kind: "bearer" }, "plain"],
    password: null
  })
})
