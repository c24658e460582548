import { describe, expect, it } from "vitest"
import { preview } from "../src/output/template-preview.ts"
import { ran, serve } from "./harness.ts"

const body = {
  preview: {
    plugin: { name: "Payments reviewer", description: "Reviews" },
    configObjects: [
      {
        objectType: "skill",
        title: "payments-review",
        description: null,
        currentFileName: "SKILL.md",
        currentRelativePath: "skills/payments-review/SKILL.md",
        rawSourceText: "# Review\u001b[2J\n\tAsk\n",
        normalizedPayloadJson: {}
      },
      {
        objectType: "context",
        title: "Untitled context",
        description: null,
        currentFileName: null,
        currentRelativePath: null,
        rawSourceText: null,
        normalizedPayloadJson: { a: 1 }
      }
    ],
    template: { id: "tpl_1", versionId: "tpv_1", ordinal: 2 }
  }
}

describe("templates", () => {
  it("previews the plugin with escaped control characters", () => {
    const drawn = preview(body, { unicode: true, colors: false })
    expect(drawn).not.toContain("\u001b")
    expect(drawn.replace(/# Review.*/, "# Review")).toBe(
      [
        "+ plugin  Payments reviewer",
        "  Reviews",
        "",
        "+ skill  payments-review  skills/payments-review/SKILL.md",
        "    │ # Review",
        "    │     Ask",
        "",
        "+ context  Untitled context",
        "    │ {",
        '    │   "a": 1',
        "    │ }",
        "",
        "A plugin with 2 config objects from version 2. Nothing was created."
      ].join("\n")
    )
  })

  it("sets variables with name=value", async () => {
    const instance = { plugin: { id: "plg_1", name: "P" }, configObjects: [], template: { id: "tpl_1", ordinal: 1 } }
    const { seen, url } = await serve({ "POST /v1/templates/tpl_1/instantiate": { status: 201, body: instance } })
    const command = ["templates", "instantiate", "tpl_1", "--name", "P", "--var", "team=a=b", "--var", "empty="]
    expect(await ran([...command, "-q"], { url })).toMatchObject({ code: 0, out: "plg_1\n", err: "" })
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ name: "P", variables: { team: "a=b", empty: "" } })
    const wrong = await ran(["templates", "instantiate", "tpl_1", "--var", "team"], { url })
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("must be name=value")])
  })
})
