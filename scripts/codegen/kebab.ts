/** The name of a group, an operation or a field as the CLI writes it, such as `webhook-endpoints`. */
export const kebab = (name: string): string => name.replace(/[A-Z]/g, (character) => `-${character.toLowerCase()}`)
