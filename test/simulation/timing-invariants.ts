import { hexToBigInt } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { SPLIT_TOPICS } from '../../shared/domain/log-topics.ts'
import type { InvariantContext } from './invariant-context.ts'
import type { Scene } from './scene.ts'
import { listStruckCharges } from './strike-invariants.ts'
import { WORTH_ATTO } from './world.ts'

/**
 * Invariants 1 and 5: a row is counted, and a relayer transaction is final or reverted, only after the transaction was
 * at confirmation depth. Skips chains on which an operator trusted a lying node; `findUnstruck` checks them at rest.
 */
export async function findEarly({
  database,
  history,
  operators,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ what: string; chainId: number; txHash: Hex }[]>`
    select 'transfer ' || id as what, chain_id, tx_hash from transfers
    where credited_at is not null and chain_id is not null
    union all
    select 'distribution ' || id, chain_id, tx_hash from split_events where applied_at is not null
    union all
    select status || ' transaction ' || nonce, chain_id, tx_hash from relayer_transactions
    where status in ('final', 'reverted')`
  return rows
    .filter(({ chainId }) => !operators.isMistrusted(chainId))
    .filter(({ chainId, txHash }) => history.scenes.get(chainId)?.chain.wasDeep(txHash) !== true)
    .map(({ what, txHash }) => `${what} counts, although ${txHash} was never at confirmation depth`)
}

/** Invariant 3: before a charge ends, its balances are read at confirmation depth. */
export async function findShallowVerification({
  database,
  history,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ chargeId: string; chainId: number; blockNumber: number }[]>`
    select charge_id, chain_id, block_number from expiry_verifications where result = 'matched'`
  return rows
    .filter(({ chainId, blockNumber }) => {
      const { chain, deployment } = history.scenes.get(chainId) ?? {}
      return blockNumber > (chain?.tip().number ?? 0) - (deployment?.confirmations ?? 1) + 1
    })
    .map(
      ({ chargeId, blockNumber }) =>
        `the balances of ${chargeId} were read at block ${blockNumber}, above confirmation depth`,
    )
}

type End = {
  readonly chargeId: string
  readonly endedAt: Date
  readonly chainId: number
  readonly maxHeadNumber: number | null
  /** Whether the charge could end without this chain, because its network was abandoned or the chain stalled. */
  readonly isExcused: boolean
}

/**
 * Invariant 3: a charge ends after its deadline. On each chain that was neither abandoned nor stalled, a block past the
 * deadline must have been at confirmation depth below the highest head that the service had recorded.
 */
export async function findHastyEnds({
  database,
  history,
  charges,
}: InvariantContext): Promise<readonly string[]> {
  const ends = await database.sql<End[]>`
    select charge_id, ended_at, chain_id, max_head_number, is_excused from witnessed_ends`
  return ends.flatMap(({ chargeId, endedAt, chainId, maxHeadNumber, isExcused }) => {
    const charge = charges.find(({ id }) => id === chargeId)
    if (charge === undefined) return [`${chargeId} has ended, but was never created`]
    if (endedAt < charge.expiresAt)
      return [`${chargeId} ended at ${endedAt.toISOString()}, before ${charge.expiresAt.toISOString()}`]
    const { chain, deployment } = history.scenes.get(chainId) ?? {}
    const deepest = (maxHeadNumber ?? 0) - (deployment?.confirmations ?? 1) + 1
    const hasPassed = chain
      ?.deepBlocks()
      .some(({ number, timestamp }) => number <= deepest && timestamp * 1000 >= charge.expiresAt.getTime())
    return hasPassed === true || isExcused
      ? []
      : [
          `${chargeId} ended while the highest known head of chain ${chainId} was ${maxHeadNumber}, with no block past its deadline at confirmation depth`,
        ]
  })
}

/**
 * Invariant 5: a settled charge has distributions at confirmation depth. If the charge is confirmed and has no escrow,
 * their sum is its amount, minus at most the minimum payout per accepted pair. Skips charges that an invented or struck
 * distribution might have settled.
 */
export async function findHastySettlements(terms: InvariantContext): Promise<readonly string[]> {
  const rows = await terms.database.sql<{ id: string; status: string }[]>`
    select c.id, c.status from charges c where c.settlement_status = 'completed' and not c.is_simulated`
  const struck = await listStruckCharges(terms)
  return rows.flatMap(({ id, status }) => {
    const charge = terms.charges.find((each) => each.id === id)
    if (charge === undefined) return [`${id} is settled, but was never created`]
    if (struck.has(id) || isMistrusted(charge, terms)) return []
    // The money of an escrow may stay in its Safe, or be refunded in part.
    const isConfirmed = status === 'confirmed' && charge.escrow === null
    const dust = BigInt(charge.acceptedPayments.length) * WORTH_ATTO
    const least = isConfirmed ? charge.amountMicro * 10n ** 12n - dust : 1n
    const distributed = [...terms.history.scenes.values()]
      .map((scene) => distributedIn(scene, charge))
      .reduce((sum, amount) => sum + amount, 0n)
    return distributed >= least
      ? []
      : [`${id} is settled, but only ${distributed} of ${least} was distributed`]
  })
}

/** Whether a lying node ever decided alone on a chain of the charge's environment. */
function isMistrusted({ environment }: ChargeRecord, { history, operators }: InvariantContext): boolean {
  return [...history.scenes.values()].some(
    ({ deployment }) => deployment.environment === environment && operators.isMistrusted(deployment.chainId),
  )
}

/** Returns the amount that a charge's split distributed in blocks at confirmation depth, in 10⁻¹⁸ dollars. */
function distributedIn({ chain, deployment }: Scene, charge: ChargeRecord): bigint {
  if (deployment.environment !== charge.environment) return 0n
  const logs = chain.deepBlocks().flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs))
  return logs.reduce((sum, { address, topics, data }) => {
    const token = deployment.tokens.find((each) => topics[1]?.endsWith(each.address.slice(2)))
    const isOurs = address === charge.splitAddress && topics[0] === SPLIT_TOPICS[0]
    return token === undefined || !isOurs ? sum : sum + hexToBigInt(data) * 10n ** BigInt(18 - token.decimals)
  }, 0n)
}
