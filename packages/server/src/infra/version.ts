import { readFileSync } from "node:fs"

const packageJson: unknown = JSON.parse(
  readFileSync(
    new URL(import.meta.url.endsWith(".ts") ? "../../package.json" : "../package.json", import.meta.url),
    "utf8"
  )
)

/** This package's version. */
export const version: string =
  typeof packageJson === "object" && packageJson !== null && "version" in packageJson
    ? String(packageJson.version)
    : "0.0.0"
