import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareInstallations, installedOf, type StoredPlugin, type WantedPlugin } from "./compare.ts"

const id = (place: number) => `plg_${String(place).padStart(26, "0")}` as const
const wanted = (place: number, sha256 = "new"): WantedPlugin => ({
  pluginId: id(place),
  sha256,
  digest: null,
  version: null
})
const installed = (place: number, sha256 = "new"): StoredPlugin => ({
  pluginId: id(place),
  state: "installed",
  sha256,
  digest: null,
  failure: null,
  installedSha256: null
})
const failed = (place: number, sha256: string, installedSha256: string | null): StoredPlugin => ({
  ...installed(place, sha256),
  state: "failed",
  failure: "download",
  installedSha256
})
const online = { isOffline: false, failure: null }

const stateOf = (reported: StoredPlugin | null, device: Parameters<typeof compareInstallations>[2] = online) => {
  const [one] = compareInstallations([wanted(1)], reported === null ? [] : [reported], device)
  return [one?.state, one?.failure]
}

describe("compareInstallations", () => {
  it("decides the state by the archive that is wanted", () => {
    expect(stateOf(installed(1))).toEqual(["running", null])
    expect(stateOf(installed(1, "old"))).toEqual(["behind", null])
    expect(stateOf(null)).toEqual(["missing", null])
    expect(stateOf(failed(1, "new", null))).toEqual(["failed", "download"])
    expect(stateOf(failed(1, "new", "old"))).toEqual(["failed", "download"])
    expect(stateOf(failed(1, "old", "older"))).toEqual(["behind", null])
    expect(stateOf(failed(1, "old", null))).toEqual(["missing", null])
    expect(stateOf(failed(1, "old", "new"))).toEqual(["running", null])
  })

  it("counts the failure of the whole state for each plugin that does not run the wanted archive", () => {
    const device = { isOffline: false, failure: "settings" } as const
    expect(stateOf(null, device)).toEqual(["failed", "settings"])
    expect(stateOf(installed(1, "old"), device)).toEqual(["failed", "settings"])
    expect(stateOf(installed(1), device)).toEqual(["running", null])
    expect(stateOf(failed(1, "new", null), device)).toEqual(["failed", "download"])
  })

  it("returns offline for every wanted plugin of an offline device", () => {
    const device = { isOffline: true, failure: "settings" } as const
    for (const reported of [null, installed(1), failed(1, "new", null)]) {
      expect(stateOf(reported, device)).toEqual(["offline", null])
    }
  })

  it("contains each wanted plugin once, and each other installed plugin as unwanted, in order", () => {
    const places = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 12 })
    const ordered = (list: ReadonlyArray<number>) => list.toSorted((a, b) => a - b)
    fc.assert(
      fc.property(places, places, places, (ofWanted, ofInstalled, failing) => {
        const reported = ordered([...new Set([...ofInstalled, ...failing])]).map((place) =>
          failing.includes(place) ? failed(place, "new", null) : installed(place)
        )
        const compared = compareInstallations(
          ordered(ofWanted).map((place) => wanted(place)),
          reported,
          online
        )
        const unwanted = reported.filter(
          (plugin) => installedOf(plugin) !== null && !ofWanted.some((place) => id(place) === plugin.pluginId)
        )
        expect(compared.map(({ pluginId }) => pluginId)).toEqual(
          [...ofWanted.map((place) => id(place)), ...unwanted.map(({ pluginId }) => pluginId)].toSorted()
        )
        for (const { pluginId, reported: own, state } of compared) {
          expect(own?.pluginId ?? pluginId).toBe(pluginId)
          expect(state === "unwanted").toBe(unwanted.some((plugin) => plugin.pluginId === pluginId))
        }
      })
    )
  })
})
