/** Invitations from a CSV file: `email,role,teams`, with or without a line of headings. */
import type { Role, Team } from "@orgplane/client"
import { isBuiltIn } from "./choices.tsx"

/** Larger files have to be divided. */
export const fileBytesMax = 1_048_576
export const linesMax = 1000
const teamsMax = 100

/** The fields of each line (RFC 4180): fields in quotes contain commas, quotes and line breaks. */
const parseCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const content = text.replace(/^\uFEFF/, "")
  // Spreadsheets write semicolons or tabs in some languages.
  const [heading = ""] = content.split(/\r?\n/, 1)
  const separator = [",", ";", "\t"].find((each) => heading.includes(each)) ?? ","
  const lines: Array<Array<string>> = []
  let line: Array<string> = []
  let field = ""
  let isQuoted = false
  const endField = () => {
    line.push(field.trim())
    field = ""
  }
  const endLine = () => {
    endField()
    if (line.some((each) => each !== "")) lines.push(line)
    line = []
  }
  for (let index = 0; index < content.length; index++) {
    const character = content.charAt(index)
    if (isQuoted) {
      if (character !== '"') field += character
      else if (content.charAt(index + 1) === '"') {
        field += '"'
        index++
      } else isQuoted = false
    } else if (character === '"' && field.trim() === "") {
      field = ""
      isQuoted = true
    } else if (character === separator) endField()
    else if (character === "\n") endLine()
    else if (character !== "\r") field += character
  }
  endLine()
  return lines
}

export interface Invitee {
  /** The number of the line in the file, without empty lines. */
  readonly line: number
  readonly email: string
  readonly role: string
  readonly teamIds: ReadonlyArray<string>
  /** The role and the teams as they are written. */
  readonly shown: string
  readonly problems: ReadonlyArray<string>
}

export interface ParsedFile {
  readonly invitees: ReadonlyArray<Invitee>
  /** Why no line can be used. */
  readonly problem: string | undefined
}

const emailPattern = /^[^\s@,;:<>"()[\]\\]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/u
const emailLengthMax = 254

const headings = ["email", "role", "teams"] as const
const aliases: Readonly<Record<string, (typeof headings)[number]>> = {
  email: "email",
  "e-mail": "email",
  "email address": "email",
  "e-mail address": "email",
  mail: "email",
  role: "role",
  team: "teams",
  teams: "teams"
}

/** The column of each field; those of a file without headings are in the order of the documentation. */
const columnsOf = (first: ReadonlyArray<string>) => {
  const names = first.map((each) => aliases[each.toLowerCase()])
  if (!names.includes("email")) return { hasHeadings: false, columns: headings.map((_, index) => index) }
  return { hasHeadings: true, columns: headings.map((name) => names.indexOf(name)) }
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

interface ExistingPeople {
  readonly roles: ReadonlyArray<Role>
  readonly teams: ReadonlyArray<Team>
}

const roleOf = (text: string, { roles }: ExistingPeople): { readonly role: string; readonly problem?: string } => {
  if (text === "") return { role: "member" }
  if (isBuiltIn(text.toLowerCase())) return { role: text.toLowerCase() }
  const role = roles.find(({ id, name }) => id === text || same(name, text))
  return role === undefined ? { role: "", problem: `There is no role “${text}”.` } : { role: role.id }
}

const teamsOf = (text: string, { teams }: ExistingPeople) => {
  const ids = new Set<string>()
  const problems: Array<string> = []
  for (const name of text.split(/[;|]/).map((each) => each.trim())) {
    if (name === "") continue
    const team = teams.find((each) => each.id === name || same(each.name, name))
    if (team === undefined) problems.push(`There is no team “${name}”.`)
    else ids.add(team.id)
  }
  if (ids.size > teamsMax) problems.push(`An invitation has at most ${teamsMax} teams.`)
  return { teamIds: [...ids], problems }
}

/** Checks each line, and keeps the ones with problems, so that they are shown next to them. */
export const inviteesOf = (text: string, known: ExistingPeople): ParsedFile => {
  const lines = parseCsv(text)
  const [first] = lines
  if (first === undefined) return { invitees: [], problem: "The file is empty." }
  const { columns, hasHeadings } = columnsOf(first)
  const rows = hasHeadings ? lines.slice(1) : lines
  if (rows.length === 0) return { invitees: [], problem: "The file has headings only." }
  if (rows.length > linesMax) {
    return {
      invitees: [],
      problem: `The file has ${rows.length.toLocaleString("en")} lines. At most ${linesMax.toLocaleString("en")} are invited at once: divide the file.`
    }
  }
  const lineOf = new Map<string, number>()
  const invitees = rows.map((fields, index): Invitee => {
    const [email = "", roleText = "", teamsText = ""] = columns.map((column) => fields[column] ?? "")
    const line = index + (hasHeadings ? 2 : 1)
    const role = roleOf(roleText, known)
    const teams = teamsOf(teamsText, known)
    const earlier = lineOf.get(email.toLowerCase())
    if (earlier === undefined && email !== "") lineOf.set(email.toLowerCase(), line)
    const problems = [
      ...(email === ""
        ? ["The email address is missing."]
        : emailPattern.test(email) && email.length <= emailLengthMax
          ? []
          : ["This is not an email address."]),
      ...(earlier === undefined ? [] : [`The same address is in line ${earlier}.`]),
      ...(role.problem === undefined ? [] : [role.problem]),
      ...teams.problems
    ]
    const shown = [roleText === "" ? "member" : roleText, teamsText].filter((each) => each !== "").join(", ")
    return { line, email, role: role.role, teamIds: teams.teamIds, shown, problems }
  })
  return { invitees, problem: undefined }
}
