/** Builds the console: `node scripts/build.ts [directory]`. Default: the directory that is published. */
import { fileURLToPath } from "node:url"
import { buildApp } from "./build-app.ts"

// React has a slower variant for other environments, such as that of tests.
process.env["NODE_ENV"] = "production"
await buildApp(process.argv[2] ?? fileURLToPath(new URL("../dist/static", import.meta.url)))
