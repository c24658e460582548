/** The health check of the image: exits with 0 if the server is ready. */
import { request } from "node:http"

const { ORGPLANE_HOST = "127.0.0.1", ORGPLANE_PATH_PREFIX = "", ORGPLANE_PORT = "8787" } = process.env

const wildcards = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"]
])
const check = request(
  {
    host: wildcards.get(ORGPLANE_HOST) ?? ORGPLANE_HOST,
    port: ORGPLANE_PORT,
    path: `${ORGPLANE_PATH_PREFIX}/v1/ready`,
    // The server accepts this host with every ORGPLANE_PUBLIC_URL.
    headers: { host: "localhost" },
    timeout: 4000
  },
  (response) => {
    process.stdout.write(`GET /v1/ready returned ${response.statusCode}.\n`)
    process.exit(response.statusCode === 200 ? 0 : 1)
  }
)
check.on("timeout", () => check.destroy(new Error("timeout")))
check.on("error", (error) => {
  process.stdout.write(`GET /v1/ready failed: ${error.message}.\n`)
  process.exit(1)
})
check.end()
