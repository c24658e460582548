/** The server starts a thread from a file of its own, so it must not be bundled. */
export default { serverExternalPackages: ["@orgplane/server"] }
