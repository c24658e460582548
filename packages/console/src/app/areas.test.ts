import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { areas } from "./areas.ts"

it("has a browser test for each area, which fails if no test looks at one of its pages", () => {
  for (const { title } of areas) {
    const name = title.toLowerCase()
    const test = readFileSync(new URL(`../../test/${name}.test.ts`, import.meta.url), "utf8")
    expect(test, title).toContain(`import { ${name} } from "../src/app/pages/${name}/area.ts"`)
    expect(test, title).toMatch(new RegExp(`await lookAt\\([^;]*? ${name},`))
  }
})
