import type { Address, Hex } from './address.ts'
import type { ErrorCode } from './errors.ts'
import type { Pair } from './networks.ts'

/**
 * How far an authorization that was taken is: `signed`, in flight; `mined`, carried out and not yet deep; at depth `final`,
 * or `taken`, carried out by somebody else; `canceled`: its nonce was spent for something else; `reverted`: the token did
 * not carry it out, and it can no longer be; `lapsed`: nobody did before its window ended.
 */
export type AuthorizationStatus = 'signed' | 'mined' | 'final' | 'taken' | 'canceled' | 'reverted' | 'lapsed'

/** The same as callers are told: whoever has sent it and however deep it is, it was mined. */
export const AUTHORIZATION_STATES = ['signed', 'mined', 'canceled', 'reverted', 'lapsed'] as const

type AuthorizationState = (typeof AUTHORIZATION_STATES)[number]

/** Answers what callers are told of a status. */
export function authorizationState(status: AuthorizationStatus): AuthorizationState {
  return status === 'final' || status === 'taken' ? 'mined' : status
}

/** What a charge shows of the authorization that was taken last. */
export type ShownAuthorization = Pair & {
  readonly status: AuthorizationStatus
  /** Of what carries it out, now; of `mined` the transaction that did. */
  readonly txHash: Hex | null
  readonly payer: Address
}

/** Why an authorization that was taken has not paid and never will; `null` of any other. */
export function authorizationFailure(
  status: AuthorizationStatus,
): { readonly code: ErrorCode; readonly message: string; readonly param?: string } | null {
  switch (status) {
    case 'signed':
    case 'mined':
    case 'final':
    case 'taken':
      return null
    case 'canceled':
      return { code: 'authorization_used', message: 'its nonce was spent for something else' }
    case 'reverted':
      return {
        ...{ code: 'authorization_invalid', param: 'signature' },
        message: 'signature was not taken by the token when it was mined, and no longer can be',
      }
    case 'lapsed':
      return {
        ...{ code: 'authorization_invalid', param: 'validBefore' },
        message: 'validBefore is over, and the payment was not mined before it: it never will be',
      }
  }
}
