declare module "email-providers" {
  /** Domains where anybody can have an address, in lower case and ASCII. */
  const domains: ReadonlyArray<string>
  export default domains
}
