import { readFrontMatter } from "./parse-front-matter.ts"
import { isJsonObject, type JsonObject } from "./parse-json.ts"

export const skillNameLengthMax = 64
export const skillDescriptionLengthMax = 1024

const isKebab = (name: string) => /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(name)

const nameFault = (name: unknown): string | undefined => {
  if (name === undefined || name === null || name === "") return 'the front matter of a skill requires "name"'
  if (typeof name !== "string") return 'the "name" of a skill must be text'
  if (name.length > skillNameLengthMax)
    return `the "name" of a skill must have at most ${skillNameLengthMax} characters`
  return isKebab(name)
    ? undefined
    : 'the "name" of a skill must consist of lowercase letters and digits, separated by single hyphens'
}

const descriptionFault = (description: unknown): string | undefined => {
  if (description === undefined || description === null) return 'the front matter of a skill requires "description"'
  if (typeof description !== "string") return 'the "description" of a skill must be text'
  if (description.trim() === "") return 'the "description" of a skill must not be empty'
  return Array.from(description).length > skillDescriptionLengthMax
    ? `the "description" of a skill must have at most ${skillDescriptionLengthMax} characters`
    : undefined
}

/** Validates the members of a skill's front matter against the public format of SKILL.md. */
export const skillMemberFaults = (data: JsonObject): ReadonlyArray<string> =>
  [nameFault(data["name"]), descriptionFault(data["description"])].filter((fault) => fault !== undefined)

/** Like `skillMemberFaults`, for a whole text. Front matter that is only partly readable is rejected. */
export const skillFaults = (text: string): ReadonlyArray<string> => {
  const { data, warnings } = readFrontMatter(text)
  const unreadable = warnings.map((warning) => `${warning.slice(0, 1).toLowerCase()}${warning.slice(1)}`)
  if (unreadable.length > 0) return unreadable.map((warning) => warning.replace(/\.$/u, ""))
  if (data === null) return ['a skill must begin with front matter: "---", its name and description as YAML, and "---"']
  return skillMemberFaults(data)
}

/** The front matter that a payload contains; undefined if it contains none. */
export const statedFrontMatter = (payload: JsonObject | null): JsonObject | undefined => {
  const frontMatter = payload?.["frontMatter"]
  return isJsonObject(frontMatter) ? frontMatter : undefined
}
