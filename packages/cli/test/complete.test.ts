/** Completion, against prepared lists of two servers. */
import { expect, it } from "vitest"
import { folder, ran, serve } from "./harness.ts"

it("completes the IDs of the server that --profile or --base-url chooses", async () => {
  const config = await folder()
  const server = (id: string) =>
    serve({
      "GET /v1/organization": { body: { organization: { id: "org_1", name: "Acme" } } },
      "GET /v1/plugins": { body: { items: [{ id, name: "A" }], nextCursor: null } }
    })
  const [first, second] = [await server("plg_first"), await server("plg_second")]
  for (const [name, { url }] of [
    ["second", second],
    ["first", first]
  ] as const) {
    const login = ["login", "--profile", name, "--base-url", url, "--token-stdin"]
    expect(await ran(login, { config, token: "", stdin: "ops_good" })).toMatchObject({ code: 0 })
  }
  const complete = async (...words: ReadonlyArray<string>) =>
    (await ran(["__complete", "--", ...words, ""], { config, token: "" })).out
  expect(await complete("plugins", "get")).toBe("plg_first\tA\n")
  expect(await complete("--profile", "second", "plugins", "get")).toBe("plg_second\tA\n")
  expect(await complete("plugins", "get", "--profile=second")).toBe("plg_second\tA\n")
  // The credential of the current profile is not for this server.
  expect(await complete("--base-url", second.url, "plugins", "get")).toBe("")
  const env = { ORGPLANE_TOKEN: "ops_good" }
  const withToken = await ran(["__complete", "--", "--base-url", second.url, "plugins", "get", ""], { config, env })
  expect(withToken.out).toBe("plg_second\tA\n")
})
