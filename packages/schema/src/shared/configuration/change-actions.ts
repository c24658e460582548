/** What an apply does with an object. `move` gives it another key, `adopt` gives an existing object its first key. */
export const changeActions = ["create", "update", "delete", "move", "adopt"] as const
export type ChangeAction = (typeof changeActions)[number]
