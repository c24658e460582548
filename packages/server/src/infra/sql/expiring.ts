/** Credentials, links and invitations that expire soon. */

/**
 * When something with a limited lifetime starts to need attention: when less than a quarter of its lifetime remains, and
 * at most 30 days before it expires. `from` and `to` are timestamps as SQL.
 */
export const expiringSince = (from: string, to: string): string =>
  `${to} - least(interval '30 days', (${to} - ${from}) / 4)`
