type Defined<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

/** The members that are not undefined. */
export const defined = <A extends object>(members: A): Defined<A> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<A>
