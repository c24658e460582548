declare module "email-providers" {
  /** Domains where anyone can have an email address, in lower case and ASCII. */
  const domains: ReadonlyArray<string>
  export default domains
}
