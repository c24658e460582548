/** The text as one word of a POSIX shell. In zsh, `=` at the start of a word would expand. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
