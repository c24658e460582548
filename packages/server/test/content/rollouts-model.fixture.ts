interface ModelRollout {
  readonly release: number
  readonly previous: number
  state: "active" | "paused" | "completed" | "rolled_back" | "superseded" | "cancelled"
  reached: number
  delivers: boolean
}

const ringCount = 2

/** The rules of rollouts, for two rings and all other members. Releases are numbers; null is nothing. */
export const makeModel = () => {
  let served: number | null = 0
  /** Releases that can be delivered: approved, and not withdrawn. */
  const approved = new Set([0])
  /** The first results of the members of the first ring with each release: whether they failed. */
  const results = new Map<number, boolean>()
  const rollouts: Array<ModelRollout> = []
  const newest = () => rollouts.at(-1)
  const isOpen = (rollout: ModelRollout | undefined): rollout is ModelRollout =>
    rollout?.state === "active" || rollout?.state === "paused"
  const endDeliveries = () => {
    for (const rollout of rollouts) rollout.delivers = false
  }
  /** A superseded rollout ends its deliveries when a newer one has reached the same rings. */
  const endCovered = () => {
    for (const [index, old] of rollouts.entries()) {
      const isCovered = rollouts.slice(index + 1).some(({ delivers, reached }) => delivers && reached >= old.reached)
      if (old.state === "superseded" && isCovered) old.delivers = false
    }
  }
  const advance = (rollout: ModelRollout) => {
    if (rollout.reached === ringCount) {
      complete(rollout)
      return
    }
    rollout.reached += 1
    endCovered()
  }
  const complete = (rollout: ModelRollout) => {
    rollout.state = "completed"
    endDeliveries()
    served = rollout.release
  }
  const statusOf = (isAllowed: boolean) => (isAllowed ? 200 : 409)
  return {
    newest,
    served: () => served,
    /** What the members of the first ring, of the second one, and all others receive. */
    received: () =>
      [0, 1, 2].map((ring) => {
        if (served === null) return null
        const delivering = rollouts.filter(({ delivers, reached }) => delivers && reached > ring)
        return delivering.at(-1)?.release ?? served
      }),
    release: (release: number) => {
      approved.add(release)
      if (served === null) {
        served = release
        return
      }
      const open = newest()
      if (isOpen(open)) open.state = "superseded"
      rollouts.push({ release, previous: served, state: "active", reached: 1, delivers: true })
      endCovered()
    },
    promote: () => {
      const rollout = newest()
      const isAllowed = rollout?.state === "active"
      if (isAllowed) advance(rollout)
      return statusOf(isAllowed)
    },
    /** The soak time of the current ring ends. */
    soak: () => {
      const rollout = newest()
      if (rollout?.state === "active") advance(rollout)
    },
    /** The members of the first ring report the release that they receive. Only their first result counts. */
    report: (release: number, isFailed: boolean) => {
      if (results.has(release)) return
      results.set(release, isFailed)
      const rollout = newest()
      if (rollout?.state === "active" && rollout.release === release && isFailed) rollout.state = "paused"
    },
    pause: () => {
      const rollout = newest()
      if (!isOpen(rollout)) return 409
      rollout.state = "paused"
      return 200
    },
    resume: () => {
      const rollout = newest()
      const isAllowed = rollout?.state === "paused"
      // Earlier results no longer count, and each member has only one.
      if (isAllowed) rollout.state = "active"
      return statusOf(isAllowed)
    },
    rollBack: () => {
      const rollout = newest()
      if (rollout === undefined) return 409
      if (rollout.state !== "active" && rollout.state !== "paused") {
        const isRevertible =
          rollout.state === "completed" && served === rollout.release && approved.has(rollout.previous)
        if (!isRevertible) return 409
        served = rollout.previous
      }
      rollout.state = "rolled_back"
      endDeliveries()
      return 200
    },
    emergency: () => {
      const rollout = newest()
      if (!isOpen(rollout)) return 409
      complete(rollout)
      return 200
    },
    /** `fallback` is what the server serves then: an earlier release that is still stored. */
    withdraw: (release: number, fallback: (served: number) => number | null) => {
      if (!approved.delete(release)) return 409
      for (const rollout of rollouts.filter((one) => one.release === release)) {
        rollout.delivers = false
        if (!isOpen(rollout)) continue
        rollout.state = "cancelled"
        endDeliveries()
      }
      if (served !== release) return 200
      served = fallback(release)
      if (served !== null) return 200
      for (const rollout of rollouts) {
        if (isOpen(rollout)) rollout.state = "cancelled"
        rollout.delivers = false
      }
      return 200
    },
    isApproved: (release: number) => approved.has(release)
  }
}
