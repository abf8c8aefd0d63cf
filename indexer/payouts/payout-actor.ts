import { BaseError } from 'viem'
import { queryHeadNumber } from '../../shared/chain/nodes/query-head.ts'
import type { Transferability } from '../../shared/chain/tokens/restrictions.ts'
import type { Db } from '../../shared/db/connect.ts'
import { type DuePayoutRow } from '../../shared/db/payouts/daemon/due-payouts.ts'
import { lockChargeOfPayout, lockPayout, type PayoutRow } from '../../shared/db/payouts/payouts.ts'
import { hasOpenTransaction } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { AttemptOutcome } from '../relayer/payout-metrics.ts'
import type { CallQuote, SignedTransaction } from '../relayer/relayer.ts'
import { SigningRefusedError } from '../relayer/require-signable.ts'
import { applyPayoutUpdate } from './apply-payout-update.ts'
import type { PayoutDeps } from './chain-payer.ts'
import { type ClaimOptions, createPayoutClaims, type PayoutClaims, toLogFields } from './claim-payouts.ts'
import type { PayoutUpdate } from './decide-payout.ts'
import { type DistributionSimulation, simulateDistribution } from './simulate-distribution.ts'

/** Configuration of our own worker (decisions 5.1). */
export type PayoutWorkerOptions = ClaimOptions & {
  /** Times of the attempts, in seconds after the first: `[0, 30, 120, …]`. */
  readonly attemptDelaysSeconds: readonly number[]
  /** Maximum number of payouts that a turn claims and processes concurrently. */
  readonly batchSize: number
}

export type PayoutWorkerDeps = PayoutDeps & {
  /** Reads whether a token's issuer allows an account to send the token. */
  readonly readSending: (tokenAddress: Address, account: Address) => Promise<Transferability>
  readonly terms: PayoutWorkerOptions
}

/**
 * Creates the worker that distributes the due payouts of one chain that no keeper has distributed.
 *
 * A turn claims due payouts and commits, simulates their distributions outside any database transaction, and commits
 * each result: a signed transaction, a failed attempt or a postponement. If the process is killed, the first worker
 * that finds the expired lease resumes the attempt. After an internal failure, such as a lost database connection, the
 * next turn resumes the attempt. No worker signs while a transaction of the payout is unresolved. Only the indexed
 * event of a distribution completes a payout.
 */
export function createPayoutWorker(deps: PayoutWorkerDeps) {
  const claims = createPayoutClaims({ ...deps, chainId: deps.nodes.chainId })
  return { turn: () => takeTurn({ ...deps, claims }) }
}

type TurnDeps = PayoutWorkerDeps & { readonly claims: PayoutClaims }

async function takeTurn(deps: TurnDeps): Promise<'more' | 'idle'> {
  await deps.claims.endBroken()
  const limit = Math.min(deps.terms.batchSize, await deps.relayer.countFree())
  if (limit === 0 || !(await deps.claims.areDue())) return 'idle'
  // Keepers do not distribute a claimed payout. If no quorum responds, this query therefore throws before the claim,
  // and the loop backs off.
  await queryHeadNumber(deps.nodes)
  const { claimed, isMore } = await deps.claims.claim(limit)

  const attempts = await Promise.allSettled(claimed.map((payout) => attempt(deps, payout)))
  // An internal failure of one attempt must not affect the other attempts. The loop logs the first failure.
  const broken = attempts.find((result) => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return isMore ? 'more' : 'idle'
}

async function attempt(deps: TurnDeps, payout: DuePayoutRow): Promise<void> {
  const outcome = await advance(deps, payout)
  deps.claims.end(payout)
  deps.metrics.countAttempt(outcome)
}

async function advance(deps: PayoutWorkerDeps, payout: DuePayoutRow): Promise<AttemptOutcome> {
  const { attemptDelaysSeconds } = deps.terms
  const probe = await look(deps, payout)
  switch (probe.type) {
    case 'nothing':
      return rest(deps, payout)
    case 'restricted':
      return settle(deps, payout, { type: 'payout.restricted', error: probe.error })
    case 'unreachable':
    case 'waiting':
      return settle(deps, payout, { type: 'attempt.postponed', error: probe.error })
    case 'failed':
      return settle(deps, payout, { type: 'attempt.failed', error: probe.error, attemptDelaysSeconds })
    case 'ready':
      return send(deps, payout, probe).catch((error: unknown) => {
        if (!(error instanceof SigningRefusedError)) throw error
        return settle(deps, payout, { type: 'attempt.failed', error: error.message, attemptDelaysSeconds })
      })
  }
}

type Look =
  | Exclude<DistributionSimulation, { type: 'ready' }>
  | ReadyLook
  /** The attempt waits for lower fees, or for funds in our account. */
  | { readonly type: 'waiting'; readonly error: string }
type ReadyLook = { readonly type: 'ready'; readonly quote: CallQuote }

/**
 * Checks whether the payout can be distributed now. If it can, although the attempt's transaction was reverted or
 * replaced, the attempt has failed.
 */
async function look(deps: PayoutWorkerDeps, payout: DuePayoutRow): Promise<Look> {
  const { relayer } = deps
  // Recipients are not checked: the split holds a restricted recipient's share, and pays the other recipients.
  if ((await deps.readSending(payout.tokenAddress, payout.splitAddress)) === 'restricted') {
    return { type: 'restricted', error: 'the issuer restricts the split' }
  }
  const probe = await simulateDistribution(relayer, payout)
  if (probe.type !== 'ready') return probe
  if (payout.attemptTransaction === 'reverted' || payout.attemptTransaction === 'replaced') {
    return { type: 'failed', error: `transaction was ${payout.attemptTransaction}` }
  }
  try {
    return weigh(await relayer.quote(probe.call))
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return { type: 'unreachable', error: error.shortMessage }
  }
}

/** Excessive gas fails the attempt. If fees are too high or our account lacks funds, the attempt waits. */
function weigh(quote: CallQuote): Look {
  const { obstacle } = quote
  if (obstacle === null) return { type: 'ready', quote }
  return { type: obstacle.type === 'excessive' ? 'failed' : 'waiting', error: obstacle.error }
}

async function send(
  deps: PayoutWorkerDeps,
  payout: DuePayoutRow,
  { quote }: ReadyLook,
): Promise<AttemptOutcome> {
  const transaction = await inTransaction(deps.sql, async (db): Promise<SignedTransaction | null> => {
    const current = await lockAttempt(db, payout)
    if (current === null) return null
    const signed = await quote.sign(db, { payoutId: payout.id, heldShareId: null })
    // From here on the transaction, not the lease, decides who may act.
    if (signed !== null)
      await applyPayoutUpdate(db, current, { news: { type: 'transaction.signed' }, now: deps.clock() })
    return signed
  })
  if (transaction === null) return 'overtaken'
  deps.log.info({ msg: 'Signed a distribution', ...toLogFields(payout), tx_hash: transaction.txHash })
  await transaction.broadcast()
  return 'sent'
}

/**
 * Records that the split has nothing to distribute. Until an indexed event completes the payout, the worker checks the
 * split at growing intervals.
 */
async function rest(deps: PayoutWorkerDeps, payout: DuePayoutRow): Promise<AttemptOutcome> {
  const now = deps.clock()
  const moved = await inTransaction(deps.sql, async (db) => {
    const current = await lockAttempt(db, payout)
    return current && (await applyPayoutUpdate(db, current, { news: { type: 'nothing.found' }, now })).payout
  })
  if (moved === null) return 'overtaken'
  const fields = { ...toLogFields(moved), next_attempt_at: moved.nextAttemptAt }
  // A distribution is normally indexed long before an hour has passed.
  const isLate = moved.nextAttemptAt.getTime() - now.getTime() >= 3_600_000
  if (isLate)
    deps.log.error({ msg: 'Split has nothing to distribute, but its payout still owes an amount', ...fields })
  else deps.log.info({ msg: 'Split has nothing to distribute', ...fields })
  return 'nothing'
}

type EndNews = Extract<PayoutUpdate, { error: string }>

/** Records that the attempt ended without a transaction. */
async function settle(deps: PayoutWorkerDeps, payout: DuePayoutRow, news: EndNews): Promise<AttemptOutcome> {
  const moved = await inTransaction(deps.sql, async (db): Promise<PayoutRow | null> => {
    const { isParked } = await lockChargeOfPayout(db, payout.id)
    const current = await lockAttempt(db, payout)
    if (current === null) return null
    const decision = await applyPayoutUpdate(db, current, {
      news: isParked ? postponed(news) : news,
      now: deps.clock(),
    })
    // A failed payout of late payments does not affect the charge's settlement, so it is not reported.
    if (decision.effects.includes('reportFailed') && current.isSettling)
      await deps.reportPayoutFailed(db, payout.chargeId)
    return decision.payout
  })
  if (moved === null) return 'overtaken'
  const { error } = news
  const { msg, outcome } = ENDINGS[news.type]
  const { status, nextAttemptAt } = moved
  deps.log.warn({ msg, ...toLogFields(moved), error, status, next_attempt_at: nextAttemptAt })
  return outcome
}

/**
 * While a charge is quarantined, failed attempts of its payouts do not count, because the charge could not process the
 * final failure.
 */
function postponed(news: EndNews): EndNews {
  return news.type === 'attempt.failed' ? { type: 'attempt.postponed', error: news.error } : news
}

const ENDINGS = {
  'payout.restricted': { msg: 'Held a payout', outcome: 'restricted' },
  'attempt.postponed': { msg: 'Postponed an attempt', outcome: 'postponed' },
  'attempt.failed': { msg: 'Payout attempt failed', outcome: 'failed' },
} as const

/**
 * Locks the payout, and returns it if this worker still owns the attempt: the payout is in `processing`, the lease is
 * unchanged, and no transaction is in flight. Otherwise returns `null`, for example after a slow turn or another
 * account's distribution.
 */
async function lockAttempt(db: Db, claimed: DuePayoutRow): Promise<PayoutRow | null> {
  const current = await lockPayout(db, claimed.id)
  const isOurs =
    current?.status === 'processing' && current.leasedUntil?.getTime() === claimed.leasedUntil?.getTime()
  return isOurs && !(await hasOpenTransaction(db, claimed.id)) ? current : null
}
