/** The exit codes of the CLI. */
export const exit = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  notSignedIn: 4,
  conflict: 5,
  refused: 6,
  rateLimited: 7,
  network: 8,
  interrupted: 130
} as const
export type ExitCode = (typeof exit)[keyof typeof exit]

export const exitCodeOf = (status: number): ExitCode => {
  switch (status) {
    case 401:
      return exit.notSignedIn
    case 402:
    case 403:
      return exit.refused
    case 404:
      return exit.notFound
    case 409:
    case 412:
      return exit.conflict
    case 429:
      return exit.rateLimited
    default:
      return status >= 200 && status < 300 ? exit.ok : exit.failure
  }
}
