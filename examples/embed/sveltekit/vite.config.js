import adapter from "@sveltejs/adapter-node"
import { sveltekit } from "@sveltejs/kit/vite"

/** The server starts a thread from a file of its own, so it must not be bundled. */
export default { plugins: [sveltekit({ adapter: adapter() })], ssr: { external: ["@orgplane/server"] } }
