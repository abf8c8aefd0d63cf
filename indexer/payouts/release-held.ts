import { BaseError } from 'viem'
import type { SimulatedCall } from '../../shared/chain/nodes/simulate.ts'
import type { Transferability, TransferDirection } from '../../shared/chain/tokens/restrictions.ts'
import {
  claimHeldShares,
  type HeldShare,
  lockHeldShare,
  postponeHeldShare,
} from '../../shared/db/payouts/daemon/held-shares.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { ReleaseOutcome } from '../relayer/payout-metrics.ts'
import type { CallQuote } from '../relayer/relayer.ts'
import { SigningRefusedError } from '../relayer/require-signable.ts'
import type { PayoutDeps } from './chain-payer.ts'
import type { ClaimOptions } from './claim-payouts.ts'
import { type ReleaseSimulation, simulateRelease } from './simulate-release.ts'

export type ReleaseWorkerDeps = Omit<PayoutDeps, 'reportPayoutFailed'> & {
  readonly readRestriction: (
    tokenAddress: Address,
    query: { readonly account: Address; readonly direction: TransferDirection },
  ) => Promise<Transferability>
  readonly terms: ClaimOptions & { readonly batchSize: number }
}

/** Interval at which a held share is checked again (specification, "Limits"). */
const RECHECK_SECONDS = 3600
const UNREACHABLE_SECONDS = 60

/**
 * Creates the worker that releases a recipient's held share once the token's issuer permits it.
 *
 * The number of checks is unlimited. Only the indexed event of a release, by any sender, removes the share from the
 * ledger. If a reorganization removes the release, the share is therefore checked again.
 */
export function createReleaseWorker(deps: ReleaseWorkerDeps): { readonly turn: () => Promise<'idle'> } {
  return { turn: () => takeTurn(deps) }
}

async function takeTurn(deps: ReleaseWorkerDeps): Promise<'idle'> {
  const { batchSize, minimumAtto, leaseSeconds } = deps.terms
  const limit = Math.min(batchSize, await deps.relayer.countFree())
  if (limit === 0) return 'idle'
  const now = deps.clock()
  const claimed = await claimHeldShares(deps.sql, {
    ...{ chainId: deps.nodes.chainId, now, minimumAtto, limit },
    until: secondsAfter(now, leaseSeconds),
  })
  for (const share of claimed) deps.metrics.countRelease(await release(deps, share))
  return 'idle'
}

async function release(deps: ReleaseWorkerDeps, share: HeldShare): Promise<ReleaseOutcome> {
  if (share.isDust)
    return postpone(deps, share, { outcome: 'nothing', seconds: RECHECK_SECONDS, error: null })
  const probe = await look(deps, share)
  switch (probe.type) {
    case 'nothing':
      return postpone(deps, share, { outcome: 'nothing', seconds: RECHECK_SECONDS, error: null })
    case 'restricted':
      return postpone(deps, share, { outcome: 'restricted', seconds: RECHECK_SECONDS, error: probe.error })
    case 'unreachable':
      return postpone(deps, share, { outcome: 'postponed', seconds: UNREACHABLE_SECONDS, error: probe.error })
    case 'ready':
      return send(deps, share, probe).catch((error: unknown) => {
        if (!(error instanceof SigningRefusedError)) throw error
        return postpone(deps, share, { outcome: 'postponed', seconds: RECHECK_SECONDS, error: error.message })
      })
  }
}

async function look(deps: ReleaseWorkerDeps, share: HeldShare): Promise<ReleaseSimulation> {
  const { tokenAddress, recipient, splitAddress } = share
  const answers = [
    await deps.readRestriction(tokenAddress, { account: recipient, direction: 'receive' }),
    await deps.readRestriction(tokenAddress, { account: splitAddress, direction: 'send' }),
  ]
  if (answers.includes('restricted'))
    return { type: 'restricted', error: 'the issuer restricts the recipient or the split' }
  return simulateRelease(deps.relayer, share)
}

async function postpone(
  { sql, clock, log }: ReleaseWorkerDeps,
  share: HeldShare,
  { outcome, seconds, error }: { outcome: ReleaseOutcome; seconds: number; error: string | null },
): Promise<ReleaseOutcome> {
  await postponeHeldShare(sql, { ...share, until: secondsAfter(clock(), seconds), error })
  if (error !== null) log.warn({ msg: 'Could not release a held share', ...fieldsOf(share), error })
  return outcome
}

async function send(
  deps: ReleaseWorkerDeps,
  share: HeldShare,
  { call }: Extract<ReleaseSimulation, { type: 'ready' }>,
): Promise<ReleaseOutcome> {
  const quote = await quoteOrNull(deps, call)
  if (quote === null || quote.obstacle !== null) {
    const error = quote?.obstacle?.error ?? 'the chain could not be queried for a quote'
    return postpone(deps, share, { outcome: 'postponed', seconds: UNREACHABLE_SECONDS, error })
  }
  const transaction = await inTransaction(deps.sql, async (db) => {
    if (!(await lockHeldShare(db, share))) return null
    const signed = await quote.sign(db, { payoutId: null, heldShareId: share.id })
    // The share is due again in an hour, regardless of the transaction's outcome.
    const until = secondsAfter(deps.clock(), RECHECK_SECONDS)
    if (signed !== null) await postponeHeldShare(db, { ...share, until, error: null })
    return signed
  })
  if (transaction === null) return 'overtaken'
  deps.log.info({ msg: 'Signed a release', ...fieldsOf(share), tx_hash: transaction.txHash })
  await transaction.broadcast()
  return 'sent'
}

async function quoteOrNull({ relayer }: ReleaseWorkerDeps, call: SimulatedCall): Promise<CallQuote | null> {
  try {
    return await relayer.quote(call)
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return null
  }
}

function fieldsOf({ chargeId, chainId, tokenAddress, recipient, heldAtomic }: HeldShare) {
  return {
    charge_id: chargeId,
    chain_id: chainId,
    token_address: tokenAddress,
    recipient,
    held_atomic: heldAtomic,
  }
}

function secondsAfter(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}
