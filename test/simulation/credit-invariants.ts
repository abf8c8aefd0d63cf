import { hexToBigInt } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import type { InvariantContext } from './invariant-context.ts'
import { attoOf, findLoggedToken } from './logged-token.ts'
import { blocksFrom, type Receipt } from './model/chain.ts'
import type { Scene } from './scene.ts'
import { listStruckCharges } from './strike-invariants.ts'

/** Invariant 1, checked without the chains: the received amount of a charge is the sum of its credited transfers. */
export async function findWrongSums({ database }: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ id: string }[]>`
    select c.id from charges c
    left join (select charge_id, sum(amount_atto) as credited from transfers where credited_at is not null group by 1) t
      on t.charge_id = c.id
    where coalesce(c.received_atto, 0) <> coalesce(t.credited, 0)`
  return rows.map(({ id }) => `the received amount of ${id} is not the sum of its credits`)
}

/**
 * Invariants 2 and 7: the credits of a transaction are amounts that it paid to the charge, each at most once, in a
 * block that was at confirmation depth. The credits may lack a payment that a node omits. Skips chains on which an
 * operator has trusted a lying node (see `findUnstruck`).
 */
export async function findMiscredited({
  database,
  history,
  charges,
  operators,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<{ chargeId: string; chainId: number; txHash: Hex; credited: bigint }[]>`
    select charge_id, chain_id, tx_hash, sum(amount_atto) as credited from transfers
    where credited_at is not null and chain_id is not null group by 1, 2, 3`
  return rows.flatMap(({ chargeId, chainId, txHash, credited }) => {
    if (operators.isMistrusted(chainId)) return []
    const scene = history.scenes.get(chainId)
    const charge = charges.find(({ id }) => id === chargeId)
    const isPaid =
      scene !== undefined &&
      charge !== undefined &&
      scene.chain
        .deepReceipts(txHash)
        .some((receipt) => isSumOfSome(amountsIn(receipt, charge, scene), credited))
    return isPaid
      ? []
      : [`${chargeId} is credited with ${credited} by ${txHash}, which never paid that amount`]
  })
}

/** The payments of one transaction to a charge. `amountAtto` is their sum, in 10⁻¹⁸ dollars. */
type Paid = {
  readonly amountAtto: bigint
  readonly isDeep: boolean
  readonly isOnTime: boolean
}

function paymentsOf(charge: ChargeRecord, scenes: Iterable<Scene>): readonly Paid[] {
  return [...scenes].flatMap((scene) => {
    const tip = scene.chain.tip()
    return blocksFrom(tip, 1).flatMap(({ number, timestamp, receipts }) =>
      receipts.map((receipt) => ({
        amountAtto: amountsIn(receipt, charge, scene).reduce((sum, amountAtto) => sum + amountAtto, 0n),
        isDeep: number <= tip.number - scene.deployment.confirmations + 1,
        isOnTime: timestamp * 1000 < charge.expiresAt.getTime(),
      })),
    )
  })
}

/**
 * Returns the amounts, in 10⁻¹⁸ dollars, of a transaction's transfers to a charge on accepted pairs, except transfers
 * from the charge's own addresses.
 */
function amountsIn({ logs }: Receipt, charge: ChargeRecord, { deployment }: Scene): readonly bigint[] {
  const { environment, network } = deployment
  if (environment !== charge.environment) return []
  const accepted = charge.acceptedPayments.map(pairKey)
  return logs.flatMap(({ address, topics, data }) => {
    const token = findLoggedToken(deployment, address)
    const isAccepted = token !== undefined && accepted.includes(pairKey({ token: token.token, network }))
    const isPayment = topics[0] === TRANSFER_TOPIC && isTo(topics[2], charge.address)
    const isOwnMoney = isTo(topics[1], charge.splitAddress) || isTo(topics[1], charge.address)
    return isAccepted && isPayment && !isOwnMoney ? [attoOf(token, hexToBigInt(data))] : []
  })
}

/**
 * Whether the service has no row for some payment or transfer out of a Safe, such as a late payment on a sleeping
 * network.
 */
export async function hasUnseenPayment({ database, history, charges }: InvariantContext): Promise<boolean> {
  const rows = await database.sql<
    { chainId: number; txHash: Hex }[]
  >`select chain_id, tx_hash from transfers union select chain_id, tx_hash from escrow_transfers`
  const seen = new Set(rows.map(({ chainId, txHash }) => `${chainId}/${txHash}`))
  return [...history.scenes.values()].some((scene) =>
    blocksFrom(scene.chain.tip(), 1).some(({ receipts }) =>
      receipts
        .filter(({ transaction }) => !seen.has(`${scene.deployment.chainId}/${transaction.hash}`))
        .some((receipt) => charges.some((charge) => concerns(receipt, charge, scene))),
    ),
  )
}

/** Whether a transaction pays a charge, or moves money out of its Safe. */
function concerns(receipt: Receipt, charge: ChargeRecord, scene: Scene): boolean {
  if (amountsIn(receipt, charge, scene).length > 0) return true
  const isMove = ({ topics }: Receipt['logs'][number]) =>
    topics[0] === TRANSFER_TOPIC && isTo(topics[1], charge.address) && !isTo(topics[2], charge.address)
  return charge.escrow !== null && receipt.logs.some(isMove)
}

/** Whether some of these amounts, each used at most once, add up to the sum. */
function isSumOfSome([amount, ...others]: readonly bigint[], sum: bigint): boolean {
  if (amount === undefined) return sum === 0n
  return isSumOfSome(others, sum - amount) || isSumOfSome(others, sum)
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

async function readCharges({ database }: InvariantContext): Promise<ReadonlyMap<string, ChargeNow>> {
  const rows = await database.sql<ChargeNow[]>`
    select c.id, c.status, c.settlement_status, c.received_atto from charges c`
  return new Map(rows.map((row) => [row.id, row]))
}

/** Final statuses, by increasing amount paid. */
const ENDS: readonly string[] = ['expired', 'underpaid', 'confirmed']

/**
 * Invariants 1 to 3, at rest: every payment is credited once, and the status of a charge follows from the payments
 * before its deadline.
 */
export async function findWrongCharges(terms: InvariantContext): Promise<readonly string[]> {
  const { charges, history, operators } = terms
  const now = await readCharges(terms)
  const struck = await listStruckCharges(terms)
  const isShaken = [...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())
  return charges.flatMap((charge) => {
    const row = now.get(charge.id)
    if (row === undefined) return [`${charge.id} does not exist`]
    if (row.status === 'pending' || row.status === 'partially_paid')
      return [`${charge.id} is still ${row.status}`]
    const paid = paymentsOf(charge, history.scenes.values())
    const sum = sumOf(paid.filter(({ isDeep }) => isDeep))
    // Credits stay even if a deep reorganization removes the payment, so the received amount may exceed the sum.
    if (isShaken)
      return (row.receivedAtto ?? 0n) >= sum
        ? []
        : [`${charge.id} received ${row.receivedAtto}, but payments of ${sum} are still on the chain`]
    const onTime = sumOf(paid.filter(({ isDeep, isOnTime }) => isDeep && isOnTime))
    const asked = charge.amountMicro * 10n ** 12n
    const expected = onTime >= asked ? 'confirmed' : onTime > 0n ? 'underpaid' : 'expired'
    // A strike never changes a status back, and a payment that replaces the struck credit might be late. If an operator
    // ends a charge early, some of its payments might not be credited yet.
    const isExcused =
      struck.has(charge.id) ||
      (operators.mayEndUnpaid(charge) && ENDS.indexOf(row.status) < ENDS.indexOf(expected))
    return [
      ...(row.status === expected || isExcused
        ? []
        : [`${charge.id} is ${row.status}, but by its payments before the deadline it must be ${expected}`]),
      ...((row.receivedAtto ?? 0n) === sum
        ? []
        : [`${charge.id} received ${row.receivedAtto}, but was paid ${sum}`]),
    ]
  })
}

function sumOf(paid: readonly Pick<Paid, 'amountAtto'>[]): bigint {
  return paid.reduce((sum, { amountAtto }) => sum + amountAtto, 0n)
}
