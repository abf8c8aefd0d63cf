import type { Contract, SimulatedCall } from '../../shared/chain/simulate.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'

/**
 * One account that pays for transactions on one chain, for who knows no family of chains.
 *
 * A call goes through it step by step: simulated and quoted outside any transaction, signed in the caller's, broadcast
 * after the commit. Each step answers what the next one takes, so that what a family needs between them (a nonce, a
 * block to build on) is its own.
 */
export type Relayer = {
  readonly address: Address
  /** Answers how many more transactions may be signed now. */
  readonly countFree: () => Promise<number>
  /**
   * Simulates the very call that would be signed, at the newest block.
   *
   * @param call.isDoubted - whether a broadcast for the same purpose has reverted: then one node alone does not decide
   * @throws {BaseError} the revert, if a quorum says that the call reverts (see `revertOf`)
   * @throws {NoQuorumError} if too few nodes respond, or they contradict each other
   */
  readonly simulate: (
    call: { readonly to: Address; readonly data: Hex; readonly isDoubted: boolean },
    contract: Contract,
  ) => Promise<SimulatedCall>
  /** Reads what signing a call needs. @throws {NoQuorumError} if too few nodes respond */
  readonly quote: (call: SimulatedCall) => Promise<Quote>
  /** Walks the unresolved transactions once: what is mined, deep, lost, stuck. */
  readonly turn: () => Promise<'more' | 'idle'>
}

/** What a call needs to be signed now, and whether it should be. */
export type Quote = {
  /** Why it should not; `null` if it may be. */
  readonly obstacle: Obstacle | null
  /**
   * Stores the signed bytes, in the caller's transaction; `null` if too many are unresolved. Nothing is sent: after the
   * commit the caller broadcasts, or the relayer's next turn does.
   *
   * @throws {RefusedToSignError} for a call that is none of ours, or serves a charge whose terms are not
   */
  readonly sign: (db: Db, purpose: Purpose) => Promise<Signed | null>
}

/**
 * It is `dear` for the moment, as other prices are; our account is `unfunded`, until somebody fills it up; or it takes
 * more than any call of ours, which is a failure.
 */
export type Obstacle = { readonly type: 'dear' | 'unfunded' | 'excessive'; readonly error: string }

/** What a transaction serves: a payout, or the release of a held share. */
export type Purpose = { readonly payoutId: number | null; readonly heldShareId: number | null }

/** A stored transaction. */
export type Signed = {
  readonly txHash: Hex
  /** Offers the stored bytes to the network; never throws because of what a node answers. */
  readonly broadcast: () => Promise<void>
}
