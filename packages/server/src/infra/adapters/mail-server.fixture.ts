import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"

/** A mail server with one account, for tests of the sign-in. */
export const startMailServer = async (account: { readonly user: string; readonly password: string }) => {
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ password, username }, _, callback) =>
      username === account.user && password === account.password
        ? callback(null, { user: username })
        : callback(new Error("Invalid login"))
  })
  // A client that disconnects is not a test failure.
  server.on("error", () => {})
  const listener = server.listen(0, "127.0.0.1")
  await once(listener, "listening")
  return {
    port: (listener.address() as AddressInfo).port,
    close: () => new Promise<void>((done) => server.close(() => done()))
  }
}
