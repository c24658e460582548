/** The program as people run it. */
Object.assign(process.env, {
  ORGPLANE_PORT: process.env["PORT"],
  ORGPLANE_DATABASE_URL: process.env["DATABASE_URL"],
  ORGPLANE_SECRET_KEYS: "a-secret-of-the-benchmark-and-of-nothing-else",
  ORGPLANE_LOG_LEVEL: "warn"
})
await import("../../packages/server/src/main.ts")
