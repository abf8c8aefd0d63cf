import type {
  ExpiryVerification,
  ExpiryVerificationClaim,
} from '../../shared/db/chain-facts/daemon/expiry-verifications.ts'
import type { BlockTime } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { BalanceMismatch } from './compare-balances.ts'

/**
 * Delay before balances without a quorum are read again. It is short because charges cannot end before their balances
 * are read.
 */
export const UNREADABLE_RETRY_SECONDS = 2
/** Interval at which matching balances on a stalled chain are read again, because the chain may resume. */
const QUIET_AGAIN_SECONDS = 30
/**
 * Minimum interval between searches for the cause of an excess, because the feed or another node may report the missing
 * payment in the meantime. An imported charge that no quorum could search is also searched again after this interval.
 */
export const BLOCKED_RECHECK_SECONDS = 300
const HELD_LONG_AGAIN_SECONDS = 3_600

/** A balance that exceeds our rows at a block. */
export type BalanceExcess = BalanceMismatch & { readonly block: number }

/** Returns the highest block of the excesses. */
export function findHighestExcess(excesses: readonly BalanceExcess[]): number {
  return Math.max(...excesses.map(({ block }) => block))
}

/** The block at which balances are read, and the result to record if our rows explain them. */
export type ReadPosition = { readonly block: BlockTime; readonly result: 'matched' | 'matched_at_head' }

/**
 * Returns whether a reading counts as taken after the charge's deadline. On a stalled chain (`matched_at_head`) every
 * reading does, because the clock decides deadlines there. Otherwise the block's time must not be before the deadline.
 * Nodes without historical state return balances at their newest solidified block, which may be before a deadline that
 * our feed has passed.
 */
export function isPastDeadline(
  { expiresAt }: ExpiryVerificationClaim,
  { block, result }: ReadPosition,
): boolean {
  return result === 'matched_at_head' || block.timestamp * 1000 >= expiresAt.getTime()
}

type Held = {
  readonly at: ReadPosition
  readonly excesses: readonly BalanceMismatch[]
  readonly isSearched: boolean
  readonly now: Date
}

export function isExcess({ foundAtomic, expectedAtomic }: BalanceMismatch): boolean {
  return foundAtomic > expectedAtomic
}

/** Returns whether the last search left the same excess unexplained. */
export function wasReported(claim: ExpiryVerificationClaim, [excess]: readonly BalanceMismatch[]): boolean {
  return (
    claim.searchedAt !== null &&
    excess !== undefined &&
    claim.account === excess.account &&
    claim.tokenAddress === excess.tokenAddress &&
    claim.foundAtomic === excess.foundAtomic &&
    claim.expectedAtomic === excess.expectedAtomic
  )
}

/** Returns the result for a charge whose balances do not exceed our rows. */
export function toMatched(
  { id }: ExpiryVerificationClaim,
  { block, result }: ReadPosition,
): ExpiryVerification {
  return { chargeId: id, result, block, excess: null, againInSeconds: QUIET_AGAIN_SECONDS }
}

/**
 * Returns the result `unverified` for a charge without a usable reading: no quorum agreed on a block, no quorum
 * reported the balances, the block was before the deadline, or an imported charge has not been searched completely.
 */
export function toUnverified({ id }: ExpiryVerificationClaim): ExpiryVerification {
  return {
    chargeId: id,
    result: 'unverified',
    block: null,
    excess: null,
    againInSeconds: UNREADABLE_RETRY_SECONDS,
  }
}

/**
 * Returns the result for a charge whose expiry is blocked by an unexplained excess. The interval between checks grows
 * with the time since the deadline, from five minutes to an hour.
 */
export function toBlocked(
  claim: ExpiryVerificationClaim,
  { at, excesses, isSearched, now }: Held,
): ExpiryVerification {
  const [excess] = excesses
  invariant(excess !== undefined, `charge ${claim.id} has no balance above our rows`)
  const { account, tokenAddress, expectedAtomic, foundAtomic } = excess
  const sinceSeconds = (now.getTime() - claim.expiresAt.getTime()) / 1000
  return {
    ...{ chargeId: claim.id, result: 'excess', block: at.block },
    excess: {
      account,
      tokenAddress,
      expectedAtomic,
      foundAtomic,
      isSearched: isSearched || wasReported(claim, excesses),
    },
    againInSeconds: Math.min(Math.max(sinceSeconds / 4, BLOCKED_RECHECK_SECONDS), HELD_LONG_AGAIN_SECONDS),
  }
}
