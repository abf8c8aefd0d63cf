import { type Address, type Hex, parseAbiItem, parseUnits, zeroAddress } from 'viem'
import { distribute } from '../../shared/domain/allocation.ts'
import { atomic } from '../../shared/domain/money.ts'
import { type Pair, pairKey } from '../../shared/domain/networks.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { balanceOf, findToken } from '../devnet/send-tokens.ts'
import { mapAtMost } from './map-at-most.ts'
import { MARKET_PAIRS, type Market, type MarketCharge, splitOf } from './market.ts'
import { paidByOthers } from './payment-invariants.ts'
import { getCharge, query } from './scenario.ts'
import { TRANSFER_EVENT } from './transfer-event.ts'

const DISTRIBUTED = parseAbiItem(
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
)
const HELD = parseAbiItem(
  'event PayoutHeld(address indexed token, address indexed recipient, uint256 amount)',
)

type Totals = Readonly<Record<string, bigint>>

/**
 * Independently computed figures. `accounts` must equal `paidIn`, `paidOut` must equal `promised`, `credited` must
 * equal `received`, and `statuses` must equal `expectedStatuses`. `unsettled` and `payoutsSentTwice` must be empty.
 */
export type MoneyAudit = {
  /** By pair: the sum of the balances of merchant, partners, treasury, relayer, keeper and splits. */
  readonly accounts: Totals
  /** By pair: the sum of all payments to splits. */
  readonly paidIn: Totals
  /** By pair and account: the account's balance. */
  readonly paidOut: Totals
  /** By pair and account: the account's shares in all distributions by the terms, without held shares. */
  readonly promised: Totals
  /** By charge, in 10⁻¹⁸ dollars: the received amount that the API reports. */
  readonly credited: Totals
  /** By charge, in 10⁻¹⁸ dollars: payments on the chain in accepted pairs, except from the charge itself. */
  readonly received: Totals
  readonly statuses: Readonly<Record<string, string>>
  readonly expectedStatuses: Readonly<Record<string, string>>
  /** Ids of charges that received at least a dollar but are not settled. */
  readonly unsettled: readonly string[]
  /** Payouts with more final relayer transactions than recorded distributions. */
  readonly payoutsSentTwice: readonly unknown[]
}

type Inflow = {
  readonly charge: MarketCharge
  readonly pair: Pair
  readonly value: bigint
  readonly timestamp: bigint
}

/** Computes all figures from the chains, the API and the database. */
export async function auditMoney(devnet: Devnet, market: Market): Promise<MoneyAudit> {
  const inflows = (await Promise.all(MARKET_PAIRS.map((pair) => readInflows(devnet, market, pair)))).flat()
  const holders = [...accountsOf(devnet), ...market.partners]
  const balances = new Map<string, bigint>()
  const accounts: Record<string, bigint> = {}
  const promised: Record<string, bigint> = {}
  for (const pair of MARKET_PAIRS) {
    const everybody = [...holders, ...market.charges.map(({ address }) => address)]
    await mapAtMost(AT_ONCE, everybody, async (account) => {
      const balance = await balanceOf(devnet.description, { ...pair, account })
      add(accounts, pairKey(pair), balance)
      if (holders.includes(account)) balances.set(`${pairKey(pair)}/${account.toLowerCase()}`, balance)
    })
    await promise(promised, { devnet, market, pair })
  }
  return {
    accounts,
    paidIn: sumBy(inflows, ({ pair }) => pairKey(pair)),
    paidOut: Object.fromEntries([...balances].filter(([, balance]) => balance > 0n)),
    promised,
    ...(await readCharges(devnet, { market, inflows })),
    payoutsSentTwice: await readDoublePayouts(devnet),
  }
}

function accountsOf({ description }: Devnet): readonly Address[] {
  const { merchant, treasury, relayer, keeper } = description.accounts
  return [merchant.address, treasury.address, relayer.address, keeper.address]
}

async function readInflows(devnet: Devnet, market: Market, pair: Pair): Promise<readonly Inflow[]> {
  const { client, token } = findToken(devnet.description, pair)
  const chargeAt = new Map(market.charges.map((charge) => [charge.address.toLowerCase(), charge]))
  const logs = await client.getLogs({
    address: token.address,
    event: TRANSFER_EVENT,
    fromBlock: 0n,
    strict: true,
  })
  const inflows: Inflow[] = []
  const timestamps = new Map<bigint, bigint>()
  for (const { args, blockNumber } of logs) {
    const charge = chargeAt.get(args.to.toLowerCase())
    if (charge === undefined) continue
    // Skip transfers from the charge itself, because their money was counted when it was paid in.
    if (paidByOthers([args], { address: charge.address, splitAddress: charge.address }) === 0n) continue
    const timestamp = timestamps.get(blockNumber) ?? (await client.getBlock({ blockNumber })).timestamp
    timestamps.set(blockNumber, timestamp)
    inflows.push({ charge, pair, value: args.value, timestamp })
  }
  return inflows
}

/** Adds to `promised` the shares in every distribution of a pair by the charges' terms, and subtracts held shares. */
async function promise(
  promised: Record<string, bigint>,
  { devnet, market, pair }: { readonly devnet: Devnet; readonly market: Market; readonly pair: Pair },
): Promise<void> {
  const { client, token } = findToken(devnet.description, pair)
  const address = market.charges.map((charge) => charge.address)
  const chargeAt = new Map(market.charges.map((charge) => [charge.address.toLowerCase(), charge]))
  const range = { address, fromBlock: 0n, strict: true, args: { token: token.address } } as const
  const keyOf = (account: string) => `${pairKey(pair)}/${account.toLowerCase()}`
  for (const log of await client.getLogs({ ...range, event: DISTRIBUTED })) {
    const charge = chargeAt.get(log.address.toLowerCase())
    if (charge === undefined) continue
    const terms = splitOf(charge)
    // The recipients share the incentive if the distributor is zero or the split itself. The event shows both as zero.
    const split = log.args.distributor === zeroAddress ? { ...terms, distributionIncentive: 0 } : terms
    const { incentive, payouts } = distribute({ amount: atomic(log.args.amount), split })
    if (incentive > 0n) add(promised, keyOf(log.args.distributor), incentive)
    for (const [index, payout] of payouts.entries()) {
      if (payout > 0n) add(promised, keyOf(split.recipients[index] ?? ''), payout)
    }
  }
  for (const { args } of await client.getLogs({ ...range, event: HELD })) {
    add(promised, keyOf(args.recipient), -args.amount)
  }
  for (const [key, amount] of Object.entries(promised)) if (amount === 0n) delete promised[key]
}

async function readCharges(
  devnet: Devnet,
  { market, inflows }: { readonly market: Market; readonly inflows: readonly Inflow[] },
) {
  const accepted = inflows.filter(({ charge, pair }) =>
    charge.acceptedPayments.some((other) => pairKey(other) === pairKey(pair)),
  )
  const attoOf = ({ pair, value }: Inflow) =>
    value * 10n ** BigInt(18 - findToken(devnet.description, pair).token.decimals)
  const received: Record<string, bigint> = {}
  const onTime: Record<string, bigint> = {}
  for (const inflow of accepted) {
    add(received, inflow.charge.id, attoOf(inflow))
    const isOnTime = Number(inflow.timestamp) * 1000 < Date.parse(inflow.charge.expiresAt)
    if (isOnTime) add(onTime, inflow.charge.id, attoOf(inflow))
  }
  const credited: Record<string, bigint> = {}
  const statuses: Record<string, string> = {}
  const expectedStatuses: Record<string, string> = {}
  const unsettled: string[] = []
  await mapAtMost(AT_ONCE, market.charges, async (charge) => {
    const { id, status, amountReceivedExact, settlementStatus } = await getCharge(devnet, charge.id)
    if (typeof amountReceivedExact === 'string') credited[id] = parseUnits(amountReceivedExact, 18)
    statuses[id] = status
    expectedStatuses[id] = statusOf(charge, onTime[id] ?? 0n)
    // A charge may stay unsettled if it received less than the minimum payout of one dollar.
    if ((received[id] ?? 0n) >= 10n ** 18n && settlementStatus !== 'completed') unsettled.push(id)
  })
  return { credited, received, statuses, expectedStatuses, unsettled }
}

function statusOf({ amountExact }: MarketCharge, onTimeAtto: bigint): string {
  if (onTimeAtto === 0n) return 'expired'
  return onTimeAtto >= parseUnits(amountExact, 18) ? 'confirmed' : 'underpaid'
}

async function readDoublePayouts(devnet: Devnet): Promise<readonly { readonly txHashes: readonly Hex[] }[]> {
  // Late payments are distributed separately, so several transactions of one payout can be final, but at most one per
  // distribution.
  return query(
    devnet,
    (sql) => sql<{ txHashes: Hex[] }[]>`
      select array_agg(r.tx_hash) as tx_hashes from relayer_transactions r join payouts p on p.id = r.payout_id
      where r.status = 'final'
      group by p.id
      having count(*) > (
        select count(*) from split_events e where e.charge_id = min(p.charge_id) and e.chain_id = min(p.chain_id)
          and e.token_address = min(p.token_address) and e.kind = 'distributed' and e.inclusion = 'included')`,
  )
}

function add(totals: Record<string, bigint>, key: string, amount: bigint): void {
  totals[key] = (totals[key] ?? 0n) + amount
}

function sumBy(inflows: readonly Inflow[], keyOf: (inflow: Inflow) => string): Totals {
  const totals: Record<string, bigint> = {}
  for (const inflow of inflows) add(totals, keyOf(inflow), inflow.value)
  return totals
}

/** Maximum concurrent requests. Sequential requests for thousands of charges would take minutes. */
const AT_ONCE = 20
