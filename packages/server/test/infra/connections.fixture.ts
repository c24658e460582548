import { AsyncLocalStorage, createHook } from "node:async_hooks"
import { Socket } from "node:net"

/** The async resource types of connections that are opened and of DNS queries. */
const watched = new Set(["TCPCONNECTWRAP", "PIPECONNECTWRAP", "QUERYWRAP", "GETADDRINFOREQWRAP"])

/** The allowed sources, and how they appear in the stack. */
const owners = {
  guard: /packages\/server\/src\/infra\/outbound\/(connect|resolver)\.ts/,
  smtp: /node_modules\/nodemailer\//,
  postgres: /packages\/server\/src\/infra\/sql\/postgres-session\.ts/,
  test: /packages\/server\/test\/infra\/connections\.test\.ts/
} as const

export type Owner = keyof typeof owners

export interface Connections {
  /** How many each of them opened since the start. */
  readonly counts: Readonly<Record<Owner, number>>
  /** Stacks of connections that no allowed source opened. */
  readonly unknown: ReadonlyArray<string>
  readonly end: () => void
}

/**
 * Watches below every library, where the runtime itself asks the system: each connection and name of this process is
 * put down to who asked for it. The stack is taken where `connect` is called, and goes with what it does later.
 */
export const watchConnections = (): Connections => {
  const counts = { guard: 0, smtp: 0, postgres: 0, test: 0 }
  const unknown: Array<string> = []
  const asking = new AsyncLocalStorage<string>()
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the socket it was called on
  const connect = Socket.prototype.connect
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 60
  const here = () => new Error("connects").stack ?? ""

  Socket.prototype.connect = function (this: Socket, ...args: Parameters<Socket["connect"]>) {
    return asking.run(here(), () => Reflect.apply(connect, this, args))
  } as Socket["connect"]
  const hook = createHook({
    init: (_, type) => {
      if (!watched.has(type)) return
      const stack = `${asking.getStore() ?? ""}\n${here()}`
      const owner = (Object.keys(owners) as ReadonlyArray<Owner>).find((owner) => owners[owner].test(stack))
      if (owner === undefined) unknown.push(`${type}\n${stack}`)
      else counts[owner] += 1
    }
  }).enable()
  return {
    counts,
    unknown,
    end: () => {
      hook.disable()
      Socket.prototype.connect = connect
      Error.stackTraceLimit = limit
    }
  }
}
