import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
