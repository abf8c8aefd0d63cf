/**
 * How far an authorization that was taken is: `signed`, in flight; `mined`, carried out and not yet deep; at depth `final`,
 * or `taken`, carried out by somebody else; `canceled`: its nonce was spent for something else; `reverted`: the token did
 * not carry it out, and it can no longer be; `lapsed`: nobody did before its window ended.
 */
export type AuthorizationStatus = 'signed' | 'mined' | 'final' | 'taken' | 'canceled' | 'reverted' | 'lapsed'
