/** The settings of desktop policies, with their meaning. */
import type { DesktopPolicySettings, DesktopSetting, DesktopSettingValue } from "@orgplane/client"

export type Switch = Exclude<DesktopSetting, "onboardingPrompts">

export const switches: ReadonlyArray<{ readonly setting: Switch; readonly label: string; readonly meaning: string }> = [
  {
    setting: "allowCustomProviders",
    label: "Own model providers",
    meaning: "Members may add their own model providers."
  },
  { setting: "allowPartnerModel", label: "Partner's models", meaning: "Members may use the models of the partner." },
  {
    setting: "allowMultipleWorkspaces",
    label: "Several workspaces",
    meaning: "Members may open more than one workspace."
  },
  { setting: "allowControlSettings", label: "App settings", meaning: "Members may change the settings of the app." },
  {
    setting: "allowManageExtensions",
    label: "Extensions",
    meaning: "Members may install and remove extensions."
  },
  {
    setting: "allowBuiltInExtensions",
    label: "Built-in extensions",
    meaning: "The extensions that come with the app run."
  },
  { setting: "allowAlphaUpdates", label: "Alpha updates", meaning: "The app may update to alpha releases." },
  { setting: "showWelcomePage", label: "Welcome page", meaning: "The app shows its welcome page when it starts." }
]

export const promptsLabel = "Onboarding prompts"
export const promptsMeaning =
  "Prompts that a member sees when the app opens for the first time. An empty list shows none, and overrides other policies."

export const settingLabel = (setting: DesktopSetting): string =>
  switches.find((each) => each.setting === setting)?.label ?? promptsLabel

export const settingMeaning = (setting: DesktopSetting): string =>
  switches.find((each) => each.setting === setting)?.meaning ?? promptsMeaning

/** How many settings a policy sets. Prompts and their descriptions count as one. */
export const setCount = (policy: DesktopPolicySettings): number =>
  switches.filter(({ setting }) => policy[setting] !== null).length + (policy.onboardingPrompts === null ? 0 : 1)

/** Such as "on", "off" and "2 prompts". */
export const valueText = (value: DesktopSettingValue): string => {
  if (typeof value === "boolean") return value ? "on" : "off"
  return value.length === 0 ? "no prompts" : value.length === 1 ? "1 prompt" : `${value.length} prompts`
}
