/** Variables in configuration documents: `${env:NAME}`. */

/** The variables of a command line. `none`: of a server, whose variables the authors of the files must not read. */
export type Environment =
  | "none"
  | {
      /** The names that the command line allows. */
      readonly allowed: ReadonlySet<string>
      readonly values: Readonly<Record<string, string | undefined>>
    }

const reference = /(\$?)\$\{env:([^{}]*)\}/gu
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/u

export const isVariableName = (name: string): boolean => variableName.test(name)

/** The value of a variable, or why it cannot be used. */
export const valueOf = (
  environment: Environment,
  name: string
): { readonly value: string } | { readonly problem: string } => {
  if (!isVariableName(name)) {
    return {
      problem: `refers to the environment variable '${name}', which is not a valid name: use letters, digits and '_'`
    }
  }
  if (environment === "none") {
    return {
      problem: `refers to the environment variable ${name}. Files that are read from a repository cannot use environment variables`
    }
  }
  const { allowed, values } = environment
  if (!allowed.has(name)) {
    return { problem: `refers to the environment variable ${name}, which --env does not list. Add --env ${name}` }
  }
  const value = values[name]
  return value === undefined || value === ""
    ? { problem: `refers to the environment variable ${name}, which is not set or is empty` }
    : { value }
}

export const hasVariable = (text: string): boolean => {
  for (const [, escape] of text.matchAll(reference)) if (escape === "") return true
  return false
}

/** Inserts variables. `$${env:NAME}` is the text `${env:NAME}`. */
export const withVariables = (text: string, environment: Environment, onProblem: (problem: string) => void): string =>
  text.includes("${env:")
    ? text.replace(reference, (whole, escape: string, name: string) => {
        if (escape !== "") return whole.slice(1)
        const variable = valueOf(environment, name)
        if ("value" in variable) return variable.value
        onProblem(variable.problem)
        return whole
      })
    : text

/** Escapes text that looks like a variable: the inverse of `withVariables`. */
export const escapeVariables = (text: string): string =>
  text.includes("${env:") ? text.replace(reference, (whole) => `$${whole}`) : text
