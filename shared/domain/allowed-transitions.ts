/**
 * A transition of a row that mirrors the chain. The service does not decide such a row's state, so the row has a
 * transition list and no machine.
 */
export type Transition = { readonly from: string; readonly to: string; readonly when: string }

/** Transitions of a relayer transaction (`RelayerTransactionStatus`). */
export const RELAYER_TRANSACTION_TRANSITIONS = [
  { from: 'signed', to: 'mined', when: 'a block that is not confirmed yet contains the transaction' },
  {
    from: 'signed',
    to: 'final',
    when: 'the transaction succeeded, and is already confirmed when it is first seen',
  },
  {
    from: 'signed',
    to: 'reverted',
    when: 'the transaction reverted, and is already confirmed when it is first seen',
  },
  {
    from: 'signed',
    to: 'replaced',
    when: 'another transaction with the same nonce was signed: a version at a higher price, or a cancellation',
  },
  {
    from: 'signed',
    to: 'expired',
    when: 'a quorum has a solidified block past the expiration, and no node has the transaction (TRON)',
  },
  { from: 'mined', to: 'signed', when: 'a reorganization removed the transaction’s block' },
  { from: 'mined', to: 'mined', when: 'a reorganization moved the transaction to another block' },
  { from: 'mined', to: 'final', when: 'the transaction succeeded and is confirmed' },
  { from: 'mined', to: 'reverted', when: 'the transaction reverted and is confirmed' },
  { from: 'mined', to: 'replaced', when: 'another transaction with the same nonce was mined instead' },
  { from: 'replaced', to: 'mined', when: 'the replaced transaction was mined after all' },
  { from: 'replaced', to: 'signed', when: 'the same bytes were signed again' },
  {
    from: 'final',
    to: 'signed',
    when: 'a reorganization deeper than the confirmation depth removed the transaction, or a quorum denies its success',
  },
  {
    from: 'reverted',
    to: 'signed',
    when: 'a reorganization deeper than the confirmation depth removed the transaction',
  },
] as const satisfies readonly Transition[]

/** Transitions of a releaser's order (`EscrowOrderStatus`). */
export const ESCROW_ORDER_TRANSITIONS = [
  { from: 'signed', to: 'mined', when: 'the chain shows the ordered transfer' },
  { from: 'signed', to: 'final', when: 'the chain shows the ordered transfer at confirmation depth' },
  { from: 'signed', to: 'reverted', when: 'the order’s transaction reverted and is confirmed' },
  {
    from: 'signed',
    to: 'failed',
    when: 'another transaction used the nonce, or the order’s five minutes have passed',
  },
  { from: 'mined', to: 'signed', when: 'a reorganization removed the transfer' },
  { from: 'mined', to: 'final', when: 'the transfer is confirmed' },
  { from: 'mined', to: 'reverted', when: 'after a reorganization, the order’s transaction reverted' },
  { from: 'mined', to: 'failed', when: 'after a reorganization, another transaction used the nonce' },
] as const satisfies readonly Transition[]

/** Transitions of an accepted authorization (`AuthorizationStatus`). */
export const AUTHORIZATION_TRANSITIONS = [
  { from: 'signed', to: 'mined', when: 'a block contains the payment, from any sender' },
  { from: 'signed', to: 'final', when: 'the payment is confirmed in our transaction' },
  {
    from: 'signed',
    to: 'executed_externally',
    when: 'the payment is confirmed in another sender’s transaction',
  },
  {
    from: 'signed',
    to: 'canceled',
    when: 'the nonce was used for another purpose, and this use is confirmed',
  },
  {
    from: 'signed',
    to: 'reverted',
    when: 'the authorization can no longer be executed, and our transaction reverted',
  },
  {
    from: 'signed',
    to: 'expired',
    when: 'the window ended without a use, and none of our transactions was mined',
  },
  { from: 'mined', to: 'signed', when: 'a reorganization removed the payment' },
  { from: 'mined', to: 'final', when: 'the payment is confirmed in our transaction' },
  {
    from: 'mined',
    to: 'executed_externally',
    when: 'the payment is confirmed in another sender’s transaction',
  },
  {
    from: 'final',
    to: 'signed',
    when: 'a reorganization deeper than the confirmation depth removed the payment',
  },
  { from: 'final', to: 'mined', when: 'after such a reorganization, another block contains the payment' },
  {
    from: 'final',
    to: 'executed_externally',
    when: 'after such a reorganization, the payment is in another sender’s transaction',
  },
  {
    from: 'executed_externally',
    to: 'signed',
    when: 'a reorganization deeper than the confirmation depth removed the payment',
  },
  {
    from: 'executed_externally',
    to: 'mined',
    when: 'after such a reorganization, another block contains the payment',
  },
  {
    from: 'executed_externally',
    to: 'final',
    when: 'after such a reorganization, the payment is in our transaction',
  },
] as const satisfies readonly Transition[]

/** Transitions of a row that the feed has shown: transfers, split events, escrow transfers. */
export const INCLUSION_TRANSITIONS = [
  { from: 'included', to: 'missing', when: 'the schema that showed the row no longer shows it' },
  { from: 'missing', to: 'included', when: 'the feed shows the row again, in any block' },
  {
    from: 'missing',
    to: 'orphaned',
    when: 'a quorum of nodes, each with a head far enough above the row’s block, has no receipt with the row’s log',
  },
  { from: 'included', to: 'orphaned', when: 'an operator repairs a feed that was ahead of its chain' },
  { from: 'orphaned', to: 'included', when: 'the transaction was mined again' },
] as const satisfies readonly Transition[]

/** Returns whether a table contains this transition. Staying in the same state is not a transition. */
export function isAllowedTransition(
  moves: readonly Transition[],
  move: { readonly from: string; readonly to: string },
): boolean {
  return moves.some(({ from, to }) => from === move.from && to === move.to)
}
