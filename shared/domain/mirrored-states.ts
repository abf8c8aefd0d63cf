/** A move of something that mirrors the chain: it decides nothing, so it is a row that follows, and no machine. */
export type Move = { readonly from: string; readonly to: string; readonly when: string }

/** What can become of a transaction of the relayer's; `RelayerTransactionStatus`. */
export const RELAYER_TRANSACTION_MOVES = [
  { from: 'signed', to: 'mined', when: 'a block has it, not yet at depth' },
  { from: 'signed', to: 'final', when: 'it is at depth when it is first seen, and succeeded' },
  { from: 'signed', to: 'reverted', when: 'it is at depth when it is first seen, and reverted' },
  { from: 'signed', to: 'replaced', when: 'another of its nonce was signed: dearer, or empty' },
  {
    from: 'signed',
    to: 'expired',
    when: 'a quorum has a solid block past its expiration, and none has it (TRON)',
  },
  { from: 'mined', to: 'signed', when: 'a reorganization took its block back' },
  { from: 'mined', to: 'mined', when: 'a reorganization put it into another block' },
  { from: 'mined', to: 'final', when: 'it is at depth and succeeded' },
  { from: 'mined', to: 'reverted', when: 'it is at depth and reverted' },
  { from: 'mined', to: 'replaced', when: 'another of its nonce was mined in its stead' },
  { from: 'replaced', to: 'mined', when: 'the earlier of two was mined after all' },
  { from: 'replaced', to: 'signed', when: 'the very same bytes are signed again' },
  {
    from: 'final',
    to: 'signed',
    when: 'a reorganization deeper than the depth took it back, or a quorum denies that it succeeded',
  },
  { from: 'reverted', to: 'signed', when: 'a reorganization deeper than the depth took it back' },
] as const satisfies readonly Move[]

/** What can become of a releaser's order; `EscrowOrderStatus`. */
export const ESCROW_ORDER_MOVES = [
  { from: 'signed', to: 'mined', when: 'the chain shows what was ordered' },
  { from: 'signed', to: 'final', when: 'it does, at depth' },
  { from: 'signed', to: 'reverted', when: 'its transaction reverted at depth' },
  { from: 'signed', to: 'failed', when: 'its nonce was used for another, or its five minutes are over' },
  { from: 'mined', to: 'signed', when: 'a reorganization took it back' },
  { from: 'mined', to: 'final', when: 'it is at depth' },
  { from: 'mined', to: 'reverted', when: 'after a reorganization its transaction reverted' },
  { from: 'mined', to: 'failed', when: 'after a reorganization its nonce was used for another' },
] as const satisfies readonly Move[]

/** What can become of a payer's authorization that was taken; `AuthorizationStatus`. */
export const AUTHORIZATION_MOVES = [
  { from: 'signed', to: 'mined', when: 'a block has it, whoever sent it' },
  { from: 'signed', to: 'final', when: 'it is at depth, and our transaction was it' },
  { from: 'signed', to: 'taken', when: 'it is at depth, and somebody else’s transaction was it' },
  { from: 'signed', to: 'canceled', when: 'its nonce was spent for something else, at depth' },
  { from: 'signed', to: 'reverted', when: 'it can be carried out no more, and our transaction reverted' },
  { from: 'signed', to: 'lapsed', when: 'its window ended, unused, and nothing of ours was mined' },
  { from: 'mined', to: 'signed', when: 'a reorganization took it back' },
  { from: 'mined', to: 'final', when: 'it is at depth, and our transaction was it' },
  { from: 'mined', to: 'taken', when: 'it is at depth, and somebody else’s transaction was it' },
  { from: 'final', to: 'signed', when: 'a reorganization deeper than the depth took it back' },
  { from: 'final', to: 'mined', when: 'after such a one another block has it' },
  { from: 'final', to: 'taken', when: 'after such a one somebody else’s transaction was it' },
  { from: 'taken', to: 'signed', when: 'a reorganization deeper than the depth took it back' },
  { from: 'taken', to: 'mined', when: 'after such a one another block has it' },
  { from: 'taken', to: 'final', when: 'after such a one our transaction was it' },
] as const satisfies readonly Move[]

/** What can become of a row that the feed has shown: transfers, split events, escrow movements. */
export const PRESENCE_MOVES = [
  { from: 'present', to: 'missing', when: 'the schema that showed it shows it no more' },
  { from: 'missing', to: 'present', when: 'it is shown again, in whatever block' },
  { from: 'missing', to: 'vanished', when: 'every node that answers has no receipt of it, late enough' },
  { from: 'present', to: 'vanished', when: 'an operator mends a feed that ran above its chain' },
  { from: 'vanished', to: 'present', when: 'it was mined again' },
] as const satisfies readonly Move[]

/** Tells whether a table has this move; staying is none. */
export function isMove(
  moves: readonly Move[],
  wanted: { readonly from: string; readonly to: string },
): boolean {
  return moves.some(({ from, to }) => from === wanted.from && to === wanted.to)
}
