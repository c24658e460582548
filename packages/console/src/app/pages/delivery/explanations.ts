/** Rules of the API in sentences. */
import type {
  AssignmentLostBy,
  AssignmentRule,
  DeliveryRule,
  DesktopPolicyLostBy,
  DesktopPolicyRule,
  WithheldBecause
} from "@orgplane/client"

export const assignmentRules: Readonly<Record<AssignmentRule, string>> = {
  default: "No assignment names the plugin for this member, so it is available.",
  only: "One assignment applies to this member.",
  block: "A block wins over every other assignment.",
  priority: "It has the highest priority.",
  specificity: "An assignment to a member wins over one to a team, and both win over one for everyone.",
  target: "An assignment of the plugin wins over one of its marketplace.",
  age: "It is the oldest of several that are otherwise equal.",
  id: "It has the smallest ID of several that are otherwise equal."
}

export const assignmentLosses: Readonly<Record<AssignmentLostBy, string>> = {
  block: "another one blocks the plugin",
  priority: "lower priority",
  specificity: "less specific to the member",
  target: "assigns the marketplace, not the plugin",
  age: "newer",
  id: "larger ID"
}

export const policyRules: Readonly<Record<DesktopPolicyRule, string>> = {
  unstated: "No policy sets it, so it is on.",
  only: "One policy sets it for this member.",
  priority: "This policy has the highest priority.",
  specificity: "A policy for the member wins over one for a team, and both win over one for everyone.",
  age: "It is the oldest of several that are otherwise equal.",
  id: "It has the smallest ID of several that are otherwise equal."
}

export const policyLosses: Readonly<Record<DesktopPolicyLostBy, string>> = {
  priority: "lower priority",
  specificity: "less specific to the member",
  age: "newer",
  id: "larger ID"
}

export const deliveryRules: Readonly<Record<DeliveryRule, string>> = {
  no_access: "The member has no access to the plugin, so nothing is delivered.",
  blocked: "An assignment blocks the plugin for this member.",
  not_served: "No release of the plugin is served.",
  off: "The plugin is turned off for this member.",
  auto: "The plugin is delivered without releases: the member receives its latest content.",
  pinned: "An assignment pins this release.",
  pinned_not_stored: "An assignment pins a release whose files are no longer stored. Nothing new is delivered.",
  ring: "A rollout of this release has reached the ring of the member.",
  served: "It is the release that is served to everyone."
}

export const withheldTexts: Readonly<Record<WithheldBecause, string>> = {
  waits_for_approval: "It is pending approval.",
  rejected: "It was rejected.",
  scheduled: "Its rollout is scheduled.",
  soaking: "It is in an earlier ring than the one of the member.",
  waits_for_results: "Its rollout waits for more results.",
  waits_for_promotion: "Its rollout waits until someone promotes it.",
  frozen: "A freeze holds its rollout.",
  paused: "Its rollout is paused.",
  rolled_back: "It was rolled back.",
  pinned: "An assignment pins another release."
}
