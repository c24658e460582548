import type { OutboundPhase, OutboundPhaseMillis } from "../ports/outbound.ts"

/** Says where an exchange is and what each phase has taken so far. */
export interface Stopwatch {
  /** Ends the phase before it; a phase may come again (a redirect, a second address), and is summed up. */
  readonly enter: (phase: OutboundPhase) => void
  readonly read: () => { readonly phase: OutboundPhase; readonly phaseMillis: OutboundPhaseMillis }
}

export const makeStopwatch = (): Stopwatch => {
  const millis: Record<OutboundPhase, number> = { wait: 0, lookup: 0, connect: 0, secure: 0, head: 0, body: 0 }
  let phase: OutboundPhase = "wait"
  let since = performance.now()
  const note = (): void => {
    const now = performance.now()
    millis[phase] += now - since
    since = now
  }
  return {
    enter: (next) => {
      note()
      phase = next
    },
    read: () => {
      note()
      return { phase, phaseMillis: { ...millis } }
    }
  }
}
