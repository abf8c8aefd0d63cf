import type { Contract, SimulatedCall } from '../../shared/chain/nodes/simulate.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'

/**
 * An account that pays for transactions on one chain. The interface is the same for all chain families.
 *
 * A call is made in steps: it is simulated and quoted outside any database transaction, signed in the caller's
 * transaction, and broadcast after the commit. Each step returns the input of the next step, so that only the family's
 * code handles its nonces or reference blocks.
 */
export type Relayer = {
  readonly address: Address
  /** Returns how many more transactions may be signed now. */
  readonly countFree: () => Promise<number>
  /**
   * Simulates exactly the call that would be signed, at the newest block.
   *
   * @param call.isDoubted - whether an earlier transaction for the same purpose has reverted. If so, a quorum must
   * report that the call succeeds; otherwise one node's report is enough.
   * @throws {BaseError} the revert, if a quorum reports that the call reverts (see `findRevert`)
   * @throws {NoQuorumError} if too few nodes respond, or they contradict each other
   */
  readonly simulate: (
    call: { readonly to: Address; readonly data: Hex; readonly isDoubted: boolean },
    contract: Contract,
  ) => Promise<SimulatedCall>
  /**
   * Reads the data needed to sign a call.
   *
   * @throws {NoQuorumError} if too few nodes respond
   */
  readonly quote: (call: SimulatedCall) => Promise<CallQuote>
  /** Checks each unresolved transaction on the chain once. Records its new status, or broadcasts or replaces it. */
  readonly turn: () => Promise<'more' | 'idle'>
}

/** A quote for a call: whether the call should be signed now, and the function that signs it. */
export type CallQuote = {
  /** Reason why the call should not be signed, or `null` if it may be. */
  readonly obstacle: SendBlocker | null
  /**
   * Signs the call and stores the bytes in the caller's database transaction. Returns `null` if too many transactions
   * are pending or, on TRON, might use up our account's funds. The caller should broadcast the bytes after the commit;
   * otherwise the relayer's next turn does.
   *
   * @throws {SigningRefusedError} if the signing policy does not allow the call
   */
  readonly sign: (db: Db, purpose: Purpose) => Promise<SignedTransaction | null>
}

/**
 * Reason why a call is not signed. `dear`: the price is too high for now. `unfunded`: our account must be funded first.
 * `excessive`: the call takes more gas or energy than any of our calls should, which indicates a fault.
 */
export type SendBlocker = { readonly type: 'dear' | 'unfunded' | 'excessive'; readonly error: string }

/** Purpose of a transaction: a payout, or the release of a held share. */
export type Purpose = { readonly payoutId: number | null; readonly heldShareId: number | null }

export type SignedTransaction = {
  readonly txHash: Hex
  /** Broadcasts the stored bytes. Never throws because of a node's response. */
  readonly broadcast: () => Promise<void>
}
