import type { OutboundPhase, OutboundPhaseMillis } from "../ports/outbound.ts"

/** Measures the phases of an exchange. */
export interface Stopwatch {
  /** Starts a phase and ends the one before; a repeated phase (after a redirect, for a second address) is added up. */
  readonly enter: (phase: OutboundPhase) => void
  readonly read: () => { readonly phase: OutboundPhase; readonly phaseMillis: OutboundPhaseMillis }
}

export const makeStopwatch = (): Stopwatch => {
  const millis: Record<OutboundPhase, number> = { wait: 0, lookup: 0, connect: 0, secure: 0, headers: 0, body: 0 }
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
