import { createHash } from 'node:crypto'
import { hexToBigInt } from 'viem'
import { TRANSFER_TOPIC } from '../../indexer/transport/log-filter.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import type { LawTerms } from './law-terms.ts'
import { findMissingTelling, findWrongTelling } from './laws-of-telling.ts'
import { blocksFrom } from './model/chain.ts'
import { heldIn } from './model/contracts.ts'
import { balanceIn } from './model/state.ts'
import type { Scene } from './scene.ts'
import { CONFIRMATIONS } from './world.ts'

/** What is nobody's fault but ours, whatever goes wrong around us. */
const NEVER_TOLD =
  /^(Parked|Refused to sign|Nonce was taken|A feed is above)|TypeError|RangeError|is no |invariant/

/**
 * Makes the laws of one history (ARCHITECTURE.md, "What must always hold"): those that hold at every moment, and those
 * that hold when everything has come to rest. Each answers what is wrong, as sentences.
 *
 * The truth is the simulated chains, never what the service says of them.
 */
export function createLaws(terms: LawTerms) {
  const { database, history, alerts } = terms
  return {
    always: async () => [
      ...alerts.filter((alert) => NEVER_TOLD.test(alert)).map((alert) => `a daemon told: ${alert}`),
      ...(await findWrongSums(terms)),
      ...(await findEarly(terms)),
      ...(await findUnbounded(terms)),
      ...(await findWrongTelling(terms)),
    ],
    atRest: async () => [
      ...(await findWrongCharges(terms)),
      ...(await findUnpaid(terms)),
      ...(await findMissingTelling(terms)),
    ],
    /** Of what the service has at the end. */
    digest: async () => {
      const rows = await database.sql`
        select id, status, settlement_status, received_atto::text, confirmed_at, settled_at from charges order by id`
      const events = await database.sql`select id, seq, type, data from events order by number`
      const heads = [...history.scenes.values()].map(({ chain }) => chain.tip().hash)
      return createHash('sha256')
        .update(JSON.stringify([rows, events, heads]))
        .digest('hex')
    },
  }
}

/** Law 1, the half that needs no chain: what a charge has received is the sum of its credited transfers. */
async function findWrongSums({ database }: LawTerms): Promise<readonly string[]> {
  const rows = await database.sql<{ id: string }[]>`
    select c.id from charges c
    left join (select charge_id, sum(amount_atto) as credited from transfers where credited_at is not null group by 1) t
      on t.charge_id = c.id
    where coalesce(c.received_atto, 0) <> coalesce(t.credited, 0)`
  return rows.map(({ id }) => `${id} has not received the sum of its credits`)
}

/** Laws 1 and 5: nothing counts, and nothing of ours is over, that was never at confirmation depth. */
async function findEarly({ database, history }: LawTerms): Promise<readonly string[]> {
  const rows = await database.sql<{ what: string; chainId: number; txHash: Hex }[]>`
    select 'transfer ' || id as what, chain_id, tx_hash from transfers where credited_at is not null
    union all
    select 'distribution ' || id, chain_id, tx_hash from split_events where applied_at is not null
    union all
    select status || ' transaction ' || nonce, chain_id, tx_hash from relayer_transactions
    where status in ('final', 'reverted')`
  return rows
    .filter(({ chainId, txHash }) => history.scenes.get(chainId)?.chain.wasDeep(txHash) !== true)
    .map(({ what, txHash }) => `${what} counts, though ${txHash} was never at depth`)
}

/** Laws 5 and 8: few transactions are unmined, none beside another for the same payout, and attempts are counted. */
async function findUnbounded({ database }: LawTerms): Promise<readonly string[]> {
  const rows = await database.sql<{ problem: string }[]>`
    select count(*) || ' transactions are unmined on ' || chain_id as problem from relayer_transactions
    where status = 'signed' group by chain_id having count(*) > 8
    union all
    select 'payout ' || payout_id || ' has ' || count(distinct nonce) || ' transactions at once'
    from relayer_transactions where status in ('signed', 'mined') and payout_id is not null
    group by payout_id having count(distinct nonce) > 1
    union all
    select 'delivery ' || public_id || ' was attempted ' || attempts || ' times' from deliveries where attempts > 5
    union all
    select 'payout ' || id || ' was attempted ' || attempts || ' times' from payouts where attempts > 8`
  return rows.map(({ problem }) => problem)
}

/** What others than the charge itself paid to it on accepted pairs, in 10⁻¹⁸ dollars. */
type Paid = {
  readonly txHash: Hex
  readonly amountAtto: bigint
  readonly isDeep: boolean
  readonly isOnTime: boolean
}

function paymentsOf(charge: ChargeRecord, scenes: Iterable<Scene>): readonly Paid[] {
  return [...scenes].flatMap(({ chain, deployment }) => {
    const { environment, network, tokens } = deployment
    const accepted = charge.acceptedPayments.map(pairKey)
    const watched = tokens.filter(
      ({ token }) => environment === charge.environment && accepted.includes(pairKey({ token, network })),
    )
    const tip = chain.tip()
    return blocksFrom(tip, 1).flatMap(({ number, timestamp, receipts }) =>
      receipts.flatMap(({ transaction, logs }) =>
        logs.flatMap(({ address, topics, data }) => {
          const token = watched.find((each) => each.address === address)
          if (token === undefined || topics[0] !== TRANSFER_TOPIC || !isTo(topics[2], charge.address))
            return []
          if (isTo(topics[1], charge.splitAddress) || hexToBigInt(data) === 0n) return []
          return {
            txHash: transaction.hash,
            amountAtto: hexToBigInt(data) * 10n ** BigInt(18 - token.decimals),
            isDeep: number <= tip.number - CONFIRMATIONS + 1,
            isOnTime: timestamp * 1000 < charge.expiresAt.getTime(),
          }
        }),
      ),
    )
  })
}

function isTo(topic: Hex | undefined, address: string): boolean {
  return topic?.endsWith(address.slice(2)) === true
}

type ChargeNow = {
  readonly id: string
  readonly status: string
  readonly settlementStatus: string | null
  readonly receivedAtto: bigint | null
}

async function readCharges({ database }: LawTerms): Promise<ReadonlyMap<string, ChargeNow>> {
  const rows = await database.sql<ChargeNow[]>`
    select c.id, c.status, c.settlement_status, c.received_atto from charges c`
  return new Map(rows.map((row) => [row.id, row]))
}

/** Laws 1 to 3: what was paid is credited, once, and the charge ended as what was paid in time says. */
async function findWrongCharges(terms: LawTerms): Promise<readonly string[]> {
  const { charges, history } = terms
  const now = await readCharges(terms)
  const isShaken = [...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())
  return charges.flatMap((charge) => {
    const row = now.get(charge.id)
    if (row === undefined) return [`${charge.id} is gone`]
    if (row.status === 'pending' || row.status === 'partially_paid')
      return [`${charge.id} is still ${row.status}`]
    // What was counted at depth stays counted, though a deeper reorganization takes it back.
    if (isShaken) return []
    const paid = paymentsOf(charge, history.scenes.values())
    const sum = sumOf(paid.filter(({ isDeep }) => isDeep))
    const onTime = sumOf(paid.filter(({ isDeep, isOnTime }) => isDeep && isOnTime))
    const asked = charge.amountMicro * 10n ** 12n
    const expected = onTime >= asked ? 'confirmed' : onTime > 0n ? 'underpaid' : 'expired'
    return [
      ...(row.status === expected
        ? []
        : [`${charge.id} is ${row.status}, and what was paid in time says ${expected}`]),
      ...((row.receivedAtto ?? 0n) === sum
        ? []
        : [`${charge.id} received ${row.receivedAtto}, and was paid ${sum}`]),
    ]
  })
}

function sumOf(paid: readonly Paid[]): bigint {
  return paid.reduce((sum, { amountAtto }) => sum + amountAtto, 0n)
}

/** A dollar is worth a transaction of ours. */
const WORTH_ATTO = 10n ** 18n

/** Law 5 and 6: what was paid is with those it is for, and the service knows. */
async function findUnpaid(terms: LawTerms): Promise<readonly string[]> {
  const { charges, history, database } = terms
  const now = await readCharges(terms)
  const isShaken = [...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())
  if (isShaken) return []
  const open = await database.sql<{ problem: string }[]>`
    select 'transaction ' || tx_hash || ' is still ' || status as problem from relayer_transactions
    where status in ('signed', 'mined')
    union all
    select 'payout ' || p.id || ' is still ' || p.status from payouts p
    join charge_pairs l using (charge_id, network, token)
    join pairs t on t.chain_id = p.chain_id and t.token_address = p.token_address
    where p.status <> 'completed'
      and (l.payable_atomic - l.distributed_atomic) * (10::numeric ^ (18 - t.decimals)) >= ${database.sql.types.numeric(WORTH_ATTO)}`
  const unsettled = charges.flatMap(({ id }) => {
    const { settlementStatus = null, receivedAtto = null } = now.get(id) ?? {}
    const isDue = (receivedAtto ?? 0n) >= WORTH_ATTO
    return isDue && settlementStatus !== 'completed'
      ? [`${id} is paid, and its settlement is ${settlementStatus}`]
      : []
  })
  const left = charges.flatMap((charge) =>
    [...history.scenes.values()].flatMap(({ chain, deployment }) =>
      deployment.environment !== charge.environment
        ? []
        : deployment.tokens.flatMap(({ address, decimals }) => {
            const { state } = chain.tip()
            const held = heldIn(state, charge.splitAddress, address)
            const left =
              (balanceIn(state, address, charge.splitAddress) - held) * 10n ** BigInt(18 - decimals)
            return [
              ...(left >= WORTH_ATTO ? [`the split of ${charge.id} still has ${left}`] : []),
              ...(held > 0n ? [`the split of ${charge.id} still holds ${held}`] : []),
            ]
          }),
    ),
  )
  return [...open.map(({ problem }) => problem), ...unsettled, ...left]
}
