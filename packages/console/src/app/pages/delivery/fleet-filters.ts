/** The filters of the fleet, which are in the URL. */
import type { DeliveryFailure, DevicePlatform, InstallState } from "@orgplane/client"
import { useParameters } from "../../parameters.ts"
import { failures, installStates } from "./counts.tsx"

export const platforms: ReadonlyArray<readonly [DevicePlatform, string]> = [
  ["linux", "Linux"],
  ["macos", "macOS"],
  ["windows", "Windows"],
  ["other", "Other"]
]

export const fleetFilterNames = ["plugin", "team", "member", "digest", "state", "failure", "platform", "agent"] as const

const stateOf = (text: string | undefined): InstallState | undefined =>
  installStates.find(([state]) => state === text)?.[0]

const failureOf = (text: string | undefined): DeliveryFailure | undefined => failures.find((each) => each === text)

const platformOf = (text: string | undefined): DevicePlatform | undefined =>
  platforms.find(([platform]) => platform === text)?.[0]

export const useFleetFilters = () => {
  const { agent, digest, failure, member, platform, plugin, state, team } = useParameters()
  /** For a release of a plugin, across all people. */
  const release = {
    ...(plugin === undefined ? {} : { pluginId: plugin }),
    ...(digest === undefined ? {} : { digest })
  }
  const scope = {
    ...release,
    ...(team === undefined ? {} : { teamId: team }),
    ...(member === undefined ? {} : { orgMembershipId: member })
  }
  return {
    release,
    scope,
    state: stateOf(state),
    failure: failureOf(failure),
    platform: platformOf(platform),
    plugin,
    agent
  }
}
