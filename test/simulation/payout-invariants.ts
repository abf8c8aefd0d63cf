import { hexToBigInt } from 'viem'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { SPLIT_TOPICS } from '../../shared/domain/log-topics.ts'
import { type Pair, pairKey } from '../../shared/domain/networks.ts'
import type { InvariantContext } from './invariant-context.ts'
import { ARC_USDC, COINS_PER_UNIT, FEE, FUNDS } from './model/arc.ts'
import { blocksFrom } from './model/chain.ts'
import { coinsOf } from './model/coins.ts'
import { heldIn, listHeldShares, listShares } from './model/contracts.ts'
import { balanceIn, type State } from './model/state.ts'
import type { Scene } from './scene.ts'
import { listStruckCharges } from './strike-invariants.ts'
import { FUNDED, WORTH_ATTO } from './world.ts'

/**
 * Invariants 5 and 8: at most 8 transactions per chain are unmined (32 on TRON, where they have no nonces), at most one
 * is pending per payout, a delivery has at most 5 attempts, and a payout at most 8.
 *
 * If a reorganization deeper than the confirmation depth removes a failed transaction whose payout was retried, both
 * transactions are pending. That is not a violation.
 */
export async function findUnbounded({ database, history }: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ problem: string }[]>`
    select count(*) || ' transactions are unmined on ' || chain_id as problem from relayer_transactions
    where status = 'signed' group by chain_id having count(*) > case when max(nonce) is null then 32 else 8 end
    union all
    select 'delivery ' || public_id || ' was attempted ' || attempts || ' times' from deliveries where attempts > 5
    union all
    select 'payout ' || id || ' was attempted ' || attempts || ' times' from payouts where attempts > 8`
  const twice = await database.sql<{ chainId: number; problem: string }[]>`
    select chain_id, 'payout ' || payout_id || ' has ' || count(distinct coalesce(nonce::text, tx_hash)) || ' transactions at once' as problem
    from relayer_transactions where status in ('signed', 'mined') and payout_id is not null
    group by chain_id, payout_id having count(distinct coalesce(nonce::text, tx_hash)) > 1`
  const isSteady = (chainId: number) => history.scenes.get(chainId)?.chain.hasLostDepth() !== true
  return [...rows, ...twice.filter(({ chainId }) => isSteady(chainId))].map(({ problem }) => problem)
}

/** Invariants 5 and 6: payments have reached their recipients, and the service has recorded the payouts. */
export async function findUnpaid(terms: InvariantContext): Promise<readonly string[]> {
  const { charges, history, database } = terms
  const isShaken = [...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())
  if (isShaken) return []
  const open = await database.sql<{ problem: string }[]>`
    select 'transaction ' || tx_hash || ' is still ' || status as problem from relayer_transactions
    where status in ('signed', 'mined')
    union all
    select 'payout ' || p.id || ' is still ' || p.status from payouts p
    join charge_ledgers l using (charge_id, network, token)
    join pairs t on t.chain_id = p.chain_id and t.token_address = p.token_address
    where p.status <> 'completed'
      and (l.payable_atomic - l.distributed_atomic) * (10::numeric ^ (18 - t.decimals)) >= ${database.sql.types.numeric(WORTH_ATTO)}`
  // Only keepers distribute less than the minimum payout. A settlement that waits for such an amount, whether the pair
  // received no more or the rest was distributed, is therefore not a violation.
  const unsettled = await database.sql<{ id: string; problem: string }[]>`
    select c.id, c.id || ' is paid, and its settlement is ' || coalesce(c.settlement_status, 'none') as problem
    from charges c
    where c.settlement_status is distinct from 'completed' and not c.is_simulated
      and (c.escrow_releaser is null or c.escrow_released_at is not null) and (
      select bool_and(least(l.payable_atomic, nullif(l.payable_atomic - l.distributed_atomic, 0))
        * (10::numeric ^ (18 - p.decimals)) >= ${database.sql.types.numeric(WORTH_ATTO)})
      from charge_ledgers l join pairs p on p.chain_id = l.chain_id and p.token_address = l.token_address
      where l.charge_id = c.id and l.payable_atomic > 0)`
  // A charge whose settling credits were struck is never settled (docs/runbook.md, CountedRowsDenied).
  const struck = await listStruckCharges(terms)
  // Payments on pairs that the charge does not accept stay in the split.
  const left = charges.flatMap((charge) =>
    [...history.scenes.values()].flatMap(({ chain, deployment }) =>
      deployment.environment !== charge.environment
        ? []
        : deployment.tokens.filter(isAcceptedBy(charge, deployment)).flatMap(({ address, decimals }) => {
            const { state } = chain.tip()
            const held = heldIn(state, charge.splitAddress, address)
            const left =
              (balanceIn(state, address, charge.splitAddress) - held) * 10n ** BigInt(18 - decimals)
            return [
              ...(left >= WORTH_ATTO ? [`the split of ${charge.id} still has ${left}`] : []),
              ...listHeldShares(state, charge.splitAddress, address)
                .filter((share) => share * 10n ** BigInt(18 - decimals) >= WORTH_ATTO)
                .map((share) => `the split of ${charge.id} still holds ${share}`),
            ]
          }),
    ),
  )
  const wrong = [...open, ...unsettled.filter(({ id }) => !struck.has(id))]
  return [...wrong.map(({ problem }) => problem), ...left]
}

function isAcceptedBy({ acceptedPayments }: ChargeRecord, { network }: Pick<Pair, 'network'>) {
  const accepted = new Set(acceptedPayments.map(pairKey))
  return ({ token }: Pick<Pair, 'token'>) => accepted.has(pairKey({ token, network }))
}

/** Invariant 6: every recipient of a distribution has received their share, or the split holds it. */
export function findWrongShares({ charges, history }: InvariantContext): readonly string[] {
  return [...history.scenes.values()].flatMap((scene) => {
    const { state } = scene.chain.tip()
    const due = new Map<string, bigint>()
    for (const { token, to, share } of sharesDue(charges, scene))
      due.set(`${token}/${to}`, (due.get(`${token}/${to}`) ?? 0n) + share)
    for (const [key, amount] of state.held) {
      const [, token, to] = key.split('/')
      due.set(`${token}/${to}`, (due.get(`${token}/${to}`) ?? 0n) - amount)
    }
    // Balances of Safes are not compared, because the releaser moves their money.
    const safes = charges.flatMap(({ escrow, address }) => (escrow === null ? [] : address))
    const recipients = [...due].filter(([key]) => !safes.some((safe) => key.endsWith(safe)))
    return recipients.flatMap(([key, amount]) => {
      const { earned, isExact } = earnedIn(state, key)
      return isExact && earned === amount
        ? []
        : [`${key} has earned ${earned} on ${scene.chain.chainId}, but is due ${amount}`]
    })
  })
}

/**
 * Returns the amount of a token that an account has received. On Arc, the token also pays for gas, and `isExact` is
 * `false` if the account has a fraction of a unit.
 *
 * @param key - `token/account`
 */
function earnedIn(state: State, key: string): { readonly earned: bigint; readonly isExact: boolean } {
  const [token, account] = key.split('/') as [Address, Address]
  if (token !== ARC_USDC) return { earned: state.balances.get(key) ?? 0n, isExact: true }
  const funds = FUNDED.includes(account) ? FUNDS - FEE * BigInt(state.nonces.get(account) ?? 0) : 0n
  const coins = coinsOf(state, account) - funds
  return { earned: coins / COINS_PER_UNIT, isExact: coins % COINS_PER_UNIT === 0n }
}

function sharesDue(charges: readonly ChargeRecord[], { chain }: Scene) {
  return blocksFrom(chain.tip(), 1).flatMap(({ receipts }) =>
    receipts.flatMap(({ logs }) =>
      logs.flatMap(({ address, topics, data }) => {
        const charge = charges.find(({ splitAddress }) => splitAddress === address)
        if (charge === undefined || topics[0] !== SPLIT_TOPICS[0]) return []
        const [token, distributor] = [addressIn(topics[1]), addressIn(topics[2])]
        const { incentive, shares } = listShares(charge.splitTerms, {
          amount: hexToBigInt(data),
          distributor,
        })
        return [...shares, { to: distributor, share: incentive }].map((each) => ({ ...each, token }))
      }),
    ),
  )
}

function addressIn(topic: Hex = '0x'): Address {
  return `0x${topic.slice(-40)}` as Address
}
