/**
 * A transition of a row that mirrors the chain. The service does not decide such a row's state, so the row has a
 * transition list and no machine.
 */
export type Transition = { readonly from: string; readonly to: string; readonly when: string }

/** Transitions of a relayer transaction; `RelayerTransactionStatus`. */
export const RELAYER_TRANSACTION_TRANSITIONS = [
  { from: 'signed', to: 'mined', when: 'a block contains it, not confirmed yet' },
  { from: 'signed', to: 'final', when: 'it is confirmed when it is first seen, and succeeded' },
  { from: 'signed', to: 'reverted', when: 'it is confirmed when it is first seen, and reverted' },
  {
    from: 'signed',
    to: 'replaced',
    when: 'another transaction with its nonce was signed: at a higher price, or a cancellation',
  },
  {
    from: 'signed',
    to: 'expired',
    when: 'a quorum has a solidified block past its expiration, and no node has it (TRON)',
  },
  { from: 'mined', to: 'signed', when: 'a reorganization removed its block' },
  { from: 'mined', to: 'mined', when: 'a reorganization moved it to another block' },
  { from: 'mined', to: 'final', when: 'it is confirmed and succeeded' },
  { from: 'mined', to: 'reverted', when: 'it is confirmed and reverted' },
  { from: 'mined', to: 'replaced', when: 'another transaction with its nonce was mined instead' },
  { from: 'replaced', to: 'mined', when: 'the earlier of two was mined after all' },
  { from: 'replaced', to: 'signed', when: 'exactly the same bytes are signed again' },
  {
    from: 'final',
    to: 'signed',
    when: 'a reorganization deeper than the confirmation depth removed it, or a quorum denies that it succeeded',
  },
  { from: 'reverted', to: 'signed', when: 'a reorganization deeper than the confirmation depth removed it' },
] as const satisfies readonly Transition[]

/** Transitions of a releaser's order; `EscrowOrderStatus`. */
export const ESCROW_ORDER_TRANSITIONS = [
  { from: 'signed', to: 'mined', when: 'the chain shows the ordered transfer' },
  { from: 'signed', to: 'final', when: 'the chain shows the ordered transfer, confirmed' },
  { from: 'signed', to: 'reverted', when: 'its transaction reverted and is confirmed' },
  {
    from: 'signed',
    to: 'failed',
    when: 'its nonce was used for another transaction, or its five minutes have passed',
  },
  { from: 'mined', to: 'signed', when: 'a reorganization removed it' },
  { from: 'mined', to: 'final', when: 'it is confirmed' },
  { from: 'mined', to: 'reverted', when: 'after a reorganization its transaction reverted' },
  { from: 'mined', to: 'failed', when: 'after a reorganization its nonce was used for another transaction' },
] as const satisfies readonly Transition[]

/** Transitions of an accepted authorization; `AuthorizationStatus`. */
export const AUTHORIZATION_TRANSITIONS = [
  { from: 'signed', to: 'mined', when: 'a block contains it, from any sender' },
  { from: 'signed', to: 'final', when: 'it is confirmed, in our transaction' },
  { from: 'signed', to: 'executed_externally', when: 'it is confirmed, in another sender’s transaction' },
  { from: 'signed', to: 'canceled', when: 'its nonce was used for another purpose, confirmed' },
  { from: 'signed', to: 'reverted', when: 'it can no longer be executed, and our transaction reverted' },
  { from: 'signed', to: 'expired', when: 'its window ended unused, and none of our transactions was mined' },
  { from: 'mined', to: 'signed', when: 'a reorganization removed it' },
  { from: 'mined', to: 'final', when: 'it is confirmed, in our transaction' },
  { from: 'mined', to: 'executed_externally', when: 'it is confirmed, in another sender’s transaction' },
  { from: 'final', to: 'signed', when: 'a reorganization deeper than the confirmation depth removed it' },
  { from: 'final', to: 'mined', when: 'after such a reorganization another block contains it' },
  {
    from: 'final',
    to: 'executed_externally',
    when: 'after such a reorganization it is in another sender’s transaction',
  },
  {
    from: 'executed_externally',
    to: 'signed',
    when: 'a reorganization deeper than the confirmation depth removed it',
  },
  { from: 'executed_externally', to: 'mined', when: 'after such a reorganization another block contains it' },
  { from: 'executed_externally', to: 'final', when: 'after such a reorganization it is in our transaction' },
] as const satisfies readonly Transition[]

/** Transitions of a row that the feed has shown: transfers, split events, escrow transfers. */
export const INCLUSION_TRANSITIONS = [
  { from: 'included', to: 'missing', when: 'the schema that showed it no longer does' },
  { from: 'missing', to: 'included', when: 'it is shown again, in any block' },
  {
    from: 'missing',
    to: 'orphaned',
    when: 'a quorum of nodes, each with a head deep enough above its block, has no receipt with its log',
  },
  { from: 'included', to: 'orphaned', when: 'an operator repairs a feed that was ahead of its chain' },
  { from: 'orphaned', to: 'included', when: 'it was mined again' },
] as const satisfies readonly Transition[]

/** Returns whether a table contains this transition. Staying in a state is not a transition. */
export function isAllowedTransition(
  moves: readonly Transition[],
  move: { readonly from: string; readonly to: string },
): boolean {
  return moves.some(({ from, to }) => from === move.from && to === move.to)
}
