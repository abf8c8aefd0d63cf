import type { Evidence, EvidenceClaim } from '../../shared/db/chain-facts/daemon/balance-evidence.ts'
import type { BlockMark } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import { invariant } from '../../shared/domain/errors.ts'
import type { BalanceDifference } from './compare-balances.ts'

/** What could not be read is tried again at once, for all of its chain waits for it. */
export const UNREAD_AGAIN_SECONDS = 2
/** A chain that stands still may go on. */
const QUIET_AGAIN_SECONDS = 30
/** What was searched for in vain may be explained by what the feed, or another node, still brings. */
export const HELD_AGAIN_SECONDS = 300
const HELD_LONG_AGAIN_SECONDS = 3_600

/** More than our rows explain, at a block. */
export type ExcessAt = BalanceDifference & { readonly block: number }

/** The highest block at which there is more. */
export function highestOf(excesses: readonly ExcessAt[]): number {
  return Math.max(...excesses.map(({ block }) => block))
}

/** Where balances are read, and what it is called when our rows explain them. */
export type Stand = { readonly block: BlockMark; readonly result: 'clear' | 'quiet' }

/** Where nodes have no past state they are read where they stand, which may be before a deadline that our feed has passed. */
export function isPast({ expiresAt }: EvidenceClaim, { block, result }: Stand): boolean {
  return result === 'quiet' || block.timestamp * 1000 >= expiresAt.getTime()
}

type Held = {
  readonly at: Stand
  readonly excesses: readonly BalanceDifference[]
  readonly isSearched: boolean
  readonly now: Date
}

/** More is there than our rows explain; less is a shortage. */
export function isExcess({ foundAtomic, expectedAtomic }: BalanceDifference): boolean {
  return foundAtomic > expectedAtomic
}

/** Whether the last search left the very same unexplained. */
export function isToldOf(claim: EvidenceClaim, [excess]: readonly BalanceDifference[]): boolean {
  return (
    claim.searchedAt !== null &&
    excess !== undefined &&
    claim.account === excess.account &&
    claim.tokenAddress === excess.tokenAddress &&
    claim.foundAtomic === excess.foundAtomic &&
    claim.expectedAtomic === excess.expectedAtomic
  )
}

/** Our rows explain what is there. */
export function clear({ id }: EvidenceClaim, { block, result }: Stand): Evidence {
  return { chargeId: id, result, block, excess: null, againInSeconds: QUIET_AGAIN_SECONDS }
}

/** No answer, or one from before the deadline, is no evidence. */
export function unread({ id }: EvidenceClaim): Evidence {
  return { chargeId: id, result: 'unread', block: null, excess: null, againInSeconds: UNREAD_AGAIN_SECONDS }
}

/** The charge is held open by what our rows do not explain; the longer, the more seldom it is looked at. */
export function held(claim: EvidenceClaim, { at, excesses, isSearched, now }: Held): Evidence {
  const [excess] = excesses
  invariant(excess !== undefined, `charge ${claim.id} is held by no excess`)
  const { account, tokenAddress, expectedAtomic, foundAtomic } = excess
  const sinceSeconds = (now.getTime() - claim.expiresAt.getTime()) / 1000
  return {
    ...{ chargeId: claim.id, result: 'excess', block: at.block },
    excess: {
      account,
      tokenAddress,
      expectedAtomic,
      foundAtomic,
      isSearched: isSearched || isToldOf(claim, excesses),
    },
    againInSeconds: Math.min(Math.max(sinceSeconds / 4, HELD_AGAIN_SECONDS), HELD_LONG_AGAIN_SECONDS),
  }
}
