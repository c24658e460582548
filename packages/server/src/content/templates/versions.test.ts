import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { VersionRow } from "./repo.ts"
import { textDiffs } from "./versions.ts"

const version = (ordinal: number, texts: ReadonlyArray<string>): VersionRow => ({
  v_id: "tpv_01h455vb4pex5vsknk084sn02q",
  v_template_id: "tpl_01h455vb4pex5vsknk084sn02q",
  v_ordinal: ordinal,
  v_digest: "",
  v_object_count: texts.length,
  v_variable_count: 0,
  v_created_by: null,
  v_created_at: new Date(0),
  v_content: {
    plugin: { name: "p", description: null },
    objects: texts.map((rawSourceText) => ({
      type: "context",
      rawSourceText,
      normalizedPayloadJson: null,
      parserMode: null,
      schemaVersion: null,
      metadata: null
    })),
    variables: []
  }
})

it("compares object by object, and yields to the event loop between them", async () => {
  const texts = (word: string) => Array.from({ length: 20 }, (_, index) => `${word} ${index}\n`)
  let turns = 0
  let isOver = false
  const turn = () => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const diff = await Effect.runPromise(textDiffs(version(1, texts("old")), version(2, [...texts("new"), "more\n"])))
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(20)
  expect(diff.match(/^--- .*$/gmu)).toEqual([
    ...Array.from({ length: 20 }, (_, index) => `--- version 1/objects/${index}`),
    "--- /dev/null"
  ])
  expect(diff).toContain("-old 7\n+new 7\n")
})
