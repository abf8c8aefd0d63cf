import type { Address, Hex } from '../address.ts'
import type { ErrorCode } from '../errors.ts'
import type { Pair } from '../networks.ts'

/**
 * Status of an accepted authorization:
 * - `signed`: in flight
 * - `mined`: executed and not confirmed yet
 * - `final`: executed by our transaction and confirmed
 * - `executed_externally`: executed by another sender and confirmed
 * - `canceled`: its nonce was used for another purpose
 * - `reverted`: the token rejected it, and it can no longer be executed
 * - `expired`: its window ended before any execution
 */
export type AuthorizationStatus =
  | 'signed'
  | 'mined'
  | 'final'
  | 'executed_externally'
  | 'canceled'
  | 'reverted'
  | 'expired'

/**
 * The public statuses. They hide who sent the transaction and whether it is confirmed. `lapsed` stands for `expired`.
 */
export const PUBLIC_AUTHORIZATION_STATUSES = ['signed', 'mined', 'canceled', 'reverted', 'lapsed'] as const

type PublicAuthorizationStatus = (typeof PUBLIC_AUTHORIZATION_STATUSES)[number]

export function presentAuthorizationStatus(status: AuthorizationStatus): PublicAuthorizationStatus {
  if (status === 'final' || status === 'executed_externally') return 'mined'
  return status === 'expired' ? 'lapsed' : status
}

/** A charge's most recently accepted authorization, as shown with the charge. */
export type PresentedAuthorization = Pair & {
  readonly status: AuthorizationStatus
  /** The current transaction; for `mined`, the transaction that executed the authorization. */
  readonly txHash: Hex | null
  readonly payer: Address
}

/** Returns why an accepted authorization will never pay; `null` if it paid or still might. */
export function authorizationFailure(
  status: AuthorizationStatus,
): { readonly code: ErrorCode; readonly message: string; readonly param?: string } | null {
  switch (status) {
    case 'signed':
    case 'mined':
    case 'final':
    case 'executed_externally':
      return null
    case 'canceled':
      return { code: 'authorization_used', message: 'the nonce was used for another purpose' }
    case 'reverted':
      return {
        ...{ code: 'authorization_invalid', param: 'signature' },
        message:
          'the token rejected the authorization when the transaction was mined, and the authorization can no longer be executed',
      }
    case 'expired':
      return {
        ...{ code: 'authorization_invalid', param: 'validBefore' },
        message: 'validBefore has passed and the payment was not mined in time; it can no longer be executed',
      }
  }
}
