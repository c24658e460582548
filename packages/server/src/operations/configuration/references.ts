/** The IDs of names, or the names of IDs. Those that do not resolve are left out: the plan reports them. */
export const idsOf = <Name, A>(names: ReadonlyArray<Name>, idOf: (name: Name) => A | undefined): ReadonlyArray<A> =>
  names.flatMap((name) => {
    const id = idOf(name)
    return id === undefined ? [] : [id]
  })

/** Email addresses in the form in which they are compared: lowercase, sorted, each once. */
export const addressesOf = (emails: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(emails.map((email) => email.toLowerCase()))].toSorted()
