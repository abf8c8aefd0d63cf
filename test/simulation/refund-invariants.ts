import { hexToBigInt } from 'viem'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import type { InvariantContext } from './invariant-context.ts'
import { findLoggedToken, toLogged } from './logged-token.ts'
import { blocksFrom, type Receipt } from './model/chain.ts'
import type { Scene } from './scene.ts'

type RefundNow = {
  readonly id: string
  readonly status: string
  readonly chainId: number
  readonly tokenAddress: Address
  readonly sender: Address
  readonly destination: Address
  readonly amountAtomic: bigint
  readonly afterBlock: number
  readonly txHash: Hex | null
  readonly ordinal: number | null
  readonly organizationId: string
}

/**
 * The confirmed and open refunds of a charge never exceed its credits on their pair (decisions 9.6). A refund that
 * was paid after its end counts only up to the remaining amount, and does not reduce open refunds. A strike does not
 * change refunds.
 */
export async function findWrongRefundSums({ database }: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ problem: string }[]>`
    select r.charge_id || ' has refunds of ' || r.taken || ', but credits of ' || coalesce(t.credited, 0) as problem
    from (
      select charge_id, chain_id, token_address, sum(coalesce(counted_atomic, amount_atomic)) as taken from refunds
      where status = 'confirmed'
        or (status in ('awaiting_destination', 'awaiting_approval', 'awaiting_payment', 'seen')
          and canceled_at is null and expired_at is null)
      group by 1, 2, 3) r
    left join (
      select charge_id, chain_id, token_address, div(sum(amount_atto), 10::numeric ^ (18 - max(decimals))) as credited
      from (
        select charge_id, chain_id, token_address, amount_atto from transfers where credited_at is not null
        union all
        select charge_id, chain_id, token_address, amount_atto from struck_rows where event = 'credited') c
      join pairs using (chain_id, token_address) group by 1, 2, 3) t using (charge_id, chain_id, token_address)
    where r.taken > coalesce(t.credited, 0)`
  return rows.map(({ problem }) => problem)
}

/**
 * A confirmed refund was paid at confirmation depth by a transfer that matches it exactly and pays no other refund.
 */
export async function findFalseRefunds({ database, history }: InvariantContext): Promise<readonly string[]> {
  const confirmed = (await readRefunds(database)).filter(({ status }) => status === 'confirmed')
  const taken = new Set<string>()
  return confirmed.flatMap((refund) => {
    const { id, chainId, txHash, ordinal, organizationId } = refund
    const key = [organizationId, chainId, txHash, contentOf(refund), ordinal].join('/')
    const isTwice = taken.has(key)
    taken.add(key)
    const scene = history.scenes.get(chainId)
    const isPaid =
      scene !== undefined &&
      scene.chain
        .deepReceipts(txHash ?? '0x')
        .some((receipt) => countIn(receipt, refund, scene) > (ordinal ?? 0))
    return [
      ...(isPaid
        ? []
        : [`refund ${id} is confirmed by ${txHash}, which never paid it at confirmation depth`]),
      ...(isTwice ? [`refund ${id} is confirmed by a transfer that pays another refund`] : []),
    ]
  })
}

/** At rest, each transfer that matches a refund exactly and was sent after its declaration has confirmed a refund. */
export async function findUnpaidRefunds({ database, history }: InvariantContext): Promise<readonly string[]> {
  if ([...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())) return []
  const refunds = await readRefunds(database)
  return refunds.flatMap((refund) => {
    const { id, status, chainId, afterBlock, organizationId } = refund
    if (status === 'confirmed') return []
    if (status === 'seen') return [`refund ${id} is still seen`]
    const scene = history.scenes.get(chainId)
    if (scene === undefined) return []
    const { chain, deployment } = scene
    const deep = blocksFrom(chain.tip(), afterBlock + 1).filter(
      ({ number }) => number <= chain.tip().number - deployment.confirmations + 1,
    )
    const paid = deep
      .flatMap(({ receipts }) => receipts)
      .reduce((sum, receipt) => sum + countIn(receipt, refund, scene), 0)
    const taken = refunds.filter(
      (other) =>
        other.status === 'confirmed' &&
        other.organizationId === organizationId &&
        contentOf(other) === contentOf(refund),
    )
    return paid > taken.length ? [`refund ${id} is ${status}, but was paid`] : []
  })
}

/** Excludes refunds without a destination. */
function readRefunds(database: InvariantContext['database']): Promise<readonly RefundNow[]> {
  return database.sql<RefundNow[]>`
    select id, status, chain_id, token_address, sender, destination, amount_atomic, after_block, tx_hash, ordinal,
      organization_id
    from refunds where destination is not null order by id`
}

function contentOf({ chainId, tokenAddress, sender, destination, amountAtomic }: RefundNow): string {
  return [chainId, tokenAddress, sender, destination, amountAtomic].join('/')
}

/** Counts the transfers with the token, sender, destination and amount of a refund. */
function countIn({ logs }: Receipt, refund: RefundNow, { deployment }: Scene): number {
  const { tokenAddress, sender, destination, amountAtomic } = refund
  return logs.filter(({ address, topics, data }) => {
    const token = findLoggedToken(deployment, address)
    return (
      token?.address === tokenAddress &&
      topics[0] === TRANSFER_TOPIC &&
      topics[1] === toTopic(sender) &&
      topics[2] === toTopic(destination) &&
      hexToBigInt(data) === toLogged(token, amountAtomic)
    )
  }).length
}
