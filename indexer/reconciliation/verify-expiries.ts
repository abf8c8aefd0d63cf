import type { BlockRef } from '../../shared/chain/nodes/node-report.ts'
import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import {
  claimExpiryVerifications,
  deleteExpiryVerifications,
  type ExpiryReadPosition,
  type ExpiryVerification,
  type ExpiryVerificationClaim,
  findExpiryReadPosition,
  hasDueExpiryVerification,
  insertExpiryVerifications,
  recordExpiryVerifications,
} from '../../shared/db/chain-facts/daemon/expiry-verifications.ts'
import type { BlockTime } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { agreeOnConfirmedHead } from './agree-on-confirmed-head.ts'
import { type BalanceReadings, type BalancesAt, createBalanceReader } from './balance-reader.ts'
import {
  type BalanceExcess,
  BLOCKED_RECHECK_SECONDS,
  findHighestExcess,
  isExcess,
  isPastDeadline,
  type ReadPosition,
  toBlocked,
  toMatched,
  toUnverified,
  UNREADABLE_RETRY_SECONDS,
  wasReported,
} from './classify-balances.ts'
import { diffBalances } from './compare-balances.ts'
import { createMismatchReporter } from './report-mismatches.ts'
import { type SearchDeps, type SearchResult, searchCharge } from './search-charge.ts'
import { createUnreadAlert } from './unread-alert.ts'

export type ExpiryVerifierDeps = CheckedChain &
  SearchDeps & {
    /** On a stalled chain, a deadline counts as passed once the clock is this far past the deadline. */
    readonly silentSeconds: number
  }

const CHARGES_PER_TURN = 300
/** Maximum rows inserted per turn. Turns run every second, and far fewer deadlines pass on a chain in one second. */
const ENROLLED_PER_TURN = 5_000
/**
 * Overlap of the deadlines that two turns cover, for charges whose creation is committed late. The deadline of a charge
 * is at least this long after its creation.
 */
const OVERLAP_MS = 60_000
const SEARCHES_PER_TURN = 3
/**
 * Lease of a claim. When the lease expires, another daemon can claim the same charges, because the first daemon might
 * have died.
 */
const LEASE_SECONDS = 120

/**
 * Creates the job that checks, on one chain, whether charges past their deadline were paid after all. The job reads
 * their balances from the nodes at the agreed block at confirmation depth (`agree-on-confirmed-head.ts`), or on a
 * stalled chain at the feed's head, and compares the balances with our rows up to that block.
 *
 * The feed alone does not prove that a charge was not paid: a node once returned an empty list for a block range, and a
 * paid charge expired. A balance above our rows (an excess) blocks the expiry, and the job searches every node for the
 * charge's payments since its creation, in at most `RANGES_PER_DAY` block ranges. If the search does not explain the
 * excess, the charge stays blocked, with an alert, until a later search explains the excess or an operator ends the
 * charge. A balance below our rows only raises an alert, because a token's issuer can reduce a balance without a log.
 * An imported charge is always searched: if a payment was distributed before the import, no balance shows the payment,
 * and no scan covered it. Any number of daemons may run the job, because each daemon claims the charges that it checks.
 */
export function createExpiryVerifier(deps: ExpiryVerifierDeps) {
  const { sql, deployment } = deps
  const { chainId } = deployment
  const onUnread = createUnreadAlert({ chainId, now: deps.now, log: deps.log })
  const reader = createBalanceReader({ ...deps, onUnread })
  const tell = createMismatchReporter({ chainId, log: deps.log })
  /** All charges with an earlier deadline already have a verification row. */
  let enrolledUntil = new Date(0)

  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    await agreeOnConfirmedHead(deps)
    const place = await findExpiryReadPosition(sql, { chainId, silentSeconds: deps.silentSeconds })
    if (place === null) return 'idle'
    const isEnrolling = await enrol(place)
    if (!(await hasDueExpiryVerification(sql, chainId))) return isEnrolling ? 'more' : 'idle'
    const claims = await claimExpiryVerifications(sql, {
      ...{ chainId, limit: CHARGES_PER_TURN, leaseSeconds: LEASE_SECONDS },
      confirmedHeadTimestamp: place.deep?.timestamp ?? null,
    })
    const ended = claims.filter(({ isOpen }) => !isOpen).map(({ id }) => id)
    await deleteExpiryVerifications(sql, { chainId, chargeIds: ended })
    const open = claims.filter(({ isOpen }) => isOpen)
    const evidence = await gather(open, {
      ...place,
      quiet: place.quiet && (await findBlock(place.quiet.number)),
    })
    await recordExpiryVerifications(sql, chainId, evidence)
    if (evidence.some(({ result }) => result === 'matched' || result === 'matched_at_head')) deps.onNews()
    const hasRead = evidence.some(({ result }) => result !== 'unverified')
    return isEnrolling || (hasRead && claims.length === CHARGES_PER_TURN) ? 'more' : 'idle'
  }

  async function enrol({ until }: ExpiryReadPosition): Promise<boolean> {
    const after = new Date(enrolledUntil.getTime() - OVERLAP_MS)
    const enrolled = await insertExpiryVerifications(sql, { chainId, after, until, limit: ENROLLED_PER_TURN })
    if (enrolled === ENROLLED_PER_TURN) return true
    enrolledUntil = until
    return false
  }

  async function findBlock(number: number): Promise<BlockRef | null> {
    const verdict = await queryBlock(deps.chain, number)
    return verdict.outcome === 'agreed' ? verdict.agreed.value : null
  }

  async function gather(
    claims: readonly ExpiryVerificationClaim[],
    place: AgreedPlace,
  ): Promise<readonly ExpiryVerification[]> {
    const { deep, quiet, head } = place
    const passed = claims.filter(({ isDeep }) => isDeep)
    const others = claims.filter(({ isDeep }) => !isDeep)
    const heads = { head, confirmedHeadNumber: deep?.number ?? -1 }
    return [
      ...(deep === null
        ? passed.map(toUnverified)
        : await gatherAt(passed, { ...heads, block: deep, result: 'matched' })),
      ...(quiet === null
        ? others.map(toUnverified)
        : await gatherAt(others, { ...heads, block: quiet, result: 'matched_at_head' })),
    ]
  }

  async function gatherAt(
    claims: readonly ExpiryVerificationClaim[],
    wanted: ReadPosition & Heads & { readonly block: BlockRef },
  ): Promise<readonly ExpiryVerification[]> {
    if (claims.length === 0) return []
    const { result, head, confirmedHeadNumber } = wanted
    const reading = await reader.read(claims, { ...wanted, isStanding: result === 'matched_at_head' })
    const at: ReadPosition = { block: reading.block, result }
    const excesses = await findExcesses(reading)
    const evidence: ExpiryVerification[] = []
    let searches = 0
    for (const claim of claims) {
      const mine = excesses.filter(({ charge }) => charge.id === claim.id)
      // An excess above the feed's head blocks the expiry, but is searched only once our rows cover its block.
      const due = mine.filter(({ block }) => block <= head.number)
      const isRead = !reading.unread.has(claim.id) && isPastDeadline(claim, at)
      const isUnsearched = mine.length === 0 && isRead && claim.needsSearch
      if (mine.length === 0 && !isUnsearched)
        evidence.push(isRead ? toMatched(claim, at) : toUnverified(claim))
      else if ((due.length > 0 || isUnsearched) && searches < SEARCHES_PER_TURN) {
        searches += 1
        const block = isUnsearched ? at.block.number : findHighestExcess(due)
        evidence.push(await search(claim, { at, isRead, excesses: mine, block, confirmedHeadNumber }))
      } else if (isUnsearched) evidence.push({ ...toUnverified(claim), againInSeconds: 0 })
      else {
        const waiting = toBlocked(claim, { at, excesses: mine, isSearched: false, now: deps.now() })
        evidence.push({ ...waiting, againInSeconds: due.length > 0 ? 0 : UNREADABLE_RETRY_SECONDS })
      }
    }
    return evidence
  }

  /**
   * Reports shortages, and returns the excesses. One node's excess is enough, because it might show a payment.
   */
  async function findExcesses({ block, found, besides }: BalanceReadings): Promise<readonly BalanceExcess[]> {
    const differences = await differencesOf({ block, found })
    for (const one of differences) if (!isExcess(one)) tell.shortage(one, one.block)
    const others = await Promise.all(besides.map(differencesOf))
    return [...differences, ...others.flat()].filter(isExcess)
  }

  async function differencesOf({ block, found }: BalancesAt): Promise<readonly BalanceExcess[]> {
    const compared = { found, block: block.number, isStrict: true }
    const differences = await diffBalances({ db: sql, deployment }, compared)
    return differences.map((difference) => ({ ...difference, block: block.number }))
  }

  /**
   * Searches the blocks since the charge's creation, and compares the same balances again: the search might have added
   * rows, or found transfers that explain the excess but are not payments.
   */
  async function search(
    claim: ExpiryVerificationClaim,
    { at, isRead, excesses, block, confirmedHeadNumber }: Excess,
  ): Promise<ExpiryVerification> {
    const wanted = { charge: claim, block, confirmedHeadNumber, acceptsOne: true }
    const searched = await searchCharge(deps, wanted)
    const explained = await Promise.all(
      excesses.map((excess) =>
        diffBalances(
          { db: sql, deployment },
          { found: [excess], block: excess.block, strays: searched.strays, isStrict: true },
        ),
      ),
    )
    const left = explained.flat().filter(isExcess)
    if (left.length === 0 && claim.needsSearch && !isThorough(searched)) return unsearched(claim)
    if (left.length === 0) return isRead ? toMatched(claim, at) : toUnverified(claim)
    if (!wasReported(claim, left)) tell.held(left, { block, isComplete: searched.isComplete })
    return toBlocked(claim, { at, excesses: left, isSearched: true, now: deps.now() })
  }

  /**
   * Returns whether a quorum of operators, or the trusted node, listed the logs of all blocks since the charge's
   * creation.
   */
  function isThorough({ isByQuorum, isComplete }: SearchResult): boolean {
    return isComplete && isByQuorum
  }

  function unsearched(claim: ExpiryVerificationClaim): ExpiryVerification {
    deps.log.error({
      msg: 'An imported charge stays open: no quorum of nodes could search all its blocks',
      ...{ chain_id: chainId, charge_id: claim.id },
    })
    return { ...toUnverified(claim), againInSeconds: BLOCKED_RECHECK_SECONDS }
  }
}

type Head = { readonly head: BlockTime }

/** The feed's head, and the highest block at confirmation depth on which a quorum agrees; -1 if there is none. */
type Heads = Head & { readonly confirmedHeadNumber: number }

/** The feed's head, and the blocks at which to read balances, agreed by a quorum; `null` if there is no such block. */
type AgreedPlace = Head & { readonly deep: BlockRef | null; readonly quiet: BlockRef | null }

type Excess = {
  readonly at: ReadPosition
  readonly isRead: boolean
  readonly excesses: readonly BalanceExcess[]
  /** Last block to search. */
  readonly block: number
  readonly confirmedHeadNumber: number
}
