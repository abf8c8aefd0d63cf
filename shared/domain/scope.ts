/** Everything an API key can be allowed to do; a closed set without wildcard. See the specification, "Scopes". */
export const SCOPES = [
  'charges:read',
  'charges:write',
  'charges:split_write',
  'webhooks:read',
  'webhooks:write',
  'webhooks:manage_secret',
  'metrics:read',
  'metrics:charges:read',
  'metrics:transactions:read',
  'metrics:distributions:read',
  'sandbox:trigger',
  'recipients:read',
  'recipients:write',
  'recipients:manage_payout',
] as const

export type Scope = (typeof SCOPES)[number]

/**
 * Tells whether one key could both register a payout destination and send money to it.
 *
 * Such a key is refused on every request: whoever stole it could pay himself.
 *
 * @see specification, "Authentication"
 */
export function hasConflictingScopes(scopes: readonly Scope[]): boolean {
  const canRegister = scopes.includes('recipients:write') || scopes.includes('recipients:manage_payout')
  return canRegister && scopes.includes('charges:split_write')
}
