/** Replaces components of the default theme that this site does not use. */
export default { render: () => null }
