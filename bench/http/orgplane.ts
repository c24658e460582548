/** The released program. With `WITHOUT_PROGRAMS`, it runs without git on its path. */
import { pathToFileURL } from "node:url"
import { serverProgram } from "../server-program.ts"

Object.assign(process.env, {
  ORGPLANE_PORT: process.env["PORT"],
  ORGPLANE_DATABASE_URL: process.env["DATABASE_URL"],
  ORGPLANE_SECRET_KEYS: "a-secret-of-the-benchmark-and-of-nothing-else",
  ORGPLANE_LOG_LEVEL: process.env["ORGPLANE_LOG_LEVEL"] ?? "warn",
  ...(process.env["WITHOUT_PROGRAMS"] === undefined ? {} : { PATH: "/nowhere" })
})
await import(pathToFileURL(serverProgram).href)
