/**
 * The permissions of API keys, a closed set without wildcard. See the specification, "Scopes"; `refunds:write` is an
 * extension (decisions 9.6).
 */
export const SCOPES = [
  'charges:read',
  'charges:write',
  'charges:split_write',
  'refunds:write',
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
 * Returns whether one key could both register a payout destination and send money to it, or both declare refunds and
 * register the wallet that pays them.
 *
 * Every request with such a key is rejected, because the holder of a stolen key could pay themselves.
 *
 * @see specification, "Authentication"
 */
export function hasConflictingScopes(scopes: readonly Scope[]): boolean {
  const canRegister = scopes.includes('recipients:write') || scopes.includes('recipients:manage_payout')
  const canRefund = scopes.includes('refunds:write') && scopes.includes('recipients:manage_payout')
  return (canRegister && scopes.includes('charges:split_write')) || canRefund
}
