import { randomUUID } from 'node:crypto'
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem'
import { requireData } from '../../api/client/client.ts'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Network, Pair } from '../../shared/domain/networks.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { query, testClient } from './scenario.ts'
import type { Random } from './seeded-random.ts'

/** The fields of a charge that determine its payments and payouts. */
export type MarketCharge = {
  readonly id: string
  readonly address: Address
  readonly amountExact: string
  readonly expiresAt: string
  readonly acceptedPayments: readonly Pair[]
  readonly addressTerms: {
    readonly recipients: readonly { readonly address: Address; readonly allocation: number }[]
    readonly distributionIncentive: number
    readonly salt: Hex
    readonly factory: Address
  }
}

/** Actions of a payer, a keeper and an issuer on many charges. */
export type Market = {
  readonly charges: readonly MarketCharge[]
  /** Accounts that are split recipients of randomly chosen charges. */
  readonly partners: readonly Address[]
  readonly openCharges: (count: number) => Promise<void>
  /**
   * Pays each of the last opened charges: fully, partly, too much, in two parts, in a pair that might not be accepted,
   * or not at all.
   */
  readonly payOnTime: () => Promise<void>
  /** Waits until the deadline of every charge has passed, and pays some of the charges. */
  readonly payLate: () => Promise<void>
  /**
   * Opens an unpaid charge on both networks. The service resumes following them, and finds the payments that were made
   * while it did not follow them.
   */
  readonly wakeNetworks: () => Promise<void>
  readonly reorganize: () => Promise<void>
  /** Has the keeper distribute some of the last opened charges, possibly before their payments are credited. */
  readonly distributeAsKeeper: () => Promise<void>
  /**
   * Has the keeper distribute some of the last opened charges with the charge itself as distributor. A charge must not
   * be credited with its own money.
   */
  readonly distributeInOwnName: () => Promise<void>
  /** Has the issuer of USDC on base restrict one of the partners. */
  readonly restrictPartner: () => Promise<void>
  /** Waits until every charge is final, every transfer credited, and every amount of at least a dollar paid out. */
  readonly untilQuiet: () => Promise<void>
}

/** The pairs of the devnet's two live chains. */
export const MARKET_PAIRS: readonly Pair[] = [
  { token: 'USDC', network: 'base' },
  { token: 'USDT', network: 'base' },
  { token: 'USDC', network: 'bnb' },
  { token: 'USDT', network: 'bnb' },
]

const PARTNERS = 3
/** The API's minimum. */
const EXPIRES_IN_SECONDS = 60
const MICRO = 1_000_000
const DOLLAR = BigInt(MICRO)
const QUIET_WITHIN_MS = 5 * 60_000

/** Creates a market on a running devnet. */
export async function createMarket(devnet: Devnet, random: Random): Promise<Market> {
  const charges: MarketCharge[] = []
  const partners = Array.from({ length: PARTNERS }, (_, index) => numberToHex(0xfa7e0 + index, { size: 20 }))
  const recipientIds = await registerPartners(devnet, partners)
  let latest: readonly MarketCharge[] = []

  return {
    charges,
    partners,
    openCharges: async (count) => {
      latest = await Promise.all(Array.from({ length: count }, () => openCharge()))
      charges.push(...latest)
    },
    payOnTime: () => payAll(latest.flatMap(paymentsOf)),
    payLate: async () => {
      await untilExpired()
      await payAll(
        charges
          .filter(() => random.fraction() < 0.2)
          .map((charge) => ({
            charge,
            pair: random.pick(charge.acceptedPayments),
            // Dust, or at least the minimum payout.
            amountMicro: random.fraction() < 0.2 ? 1n : DOLLAR + someMicro(20),
          })),
      )
    },
    wakeNetworks: async () => {
      charges.push(await openCharge(MARKET_PAIRS))
    },
    reorganize: () => reorganizeBase(devnet),
    distributeAsKeeper: async () => {
      for (const charge of latest.slice(0, 3)) {
        const [pair] = charge.acceptedPayments
        if (pair)
          await distribute(devnet, { charge, pair, distributor: devnet.description.accounts.keeper.address })
      }
    },
    distributeInOwnName: async () => {
      for (const charge of latest.slice(3, 7)) {
        for (const pair of charge.acceptedPayments)
          await distribute(devnet, { charge, pair, distributor: charge.address })
      }
    },
    restrictPartner: () => restrict(devnet, random.pick(partners)),
    untilQuiet: () => untilQuiet(devnet),
  }

  async function openCharge(
    pairs: readonly Pair[] = MARKET_PAIRS.filter(() => random.fraction() < 0.5),
  ): Promise<MarketCharge> {
    const splits = recipientIds.filter(() => random.fraction() < 0.4)
    const body = {
      amount: Number(4n * DOLLAR + someMicro(200)) / MICRO,
      feePayer: random.pick(['merchant', 'payer'] as const),
      acceptedPayments: pairs.length > 0 ? [...pairs] : [random.pick(MARKET_PAIRS)],
      expiresIn: EXPIRES_IN_SECONDS,
      ...(splits.length > 0 && {
        splitRecipients: splits.map((recipientId) => ({ recipientId, percent: 1 + random.integer(30) })),
      }),
      idempotencyKey: randomUUID(),
    }
    // Retries, as a merchant's server would, because a chain might be unavailable for a short time.
    const charge = await waitFor(
      () => requireData(createApiCaller(devnet.description, 'liveSplit').POST('/v1/charges', { body })),
      { what: 'a charge that can be created', timeoutMs: 60_000, intervalMs: 500 },
    )
    return charge as MarketCharge
  }

  /** Draws an amount below `dollars`, in micro-dollars. */
  function someMicro(dollars: number): bigint {
    return BigInt(random.integer(dollars * MICRO))
  }

  function paymentsOf(charge: MarketCharge): readonly Payment[] {
    const amountMicro = BigInt(Math.round(Number(charge.amountExact) * MICRO))
    const pair = random.pick(charge.acceptedPayments)
    const other = random.pick(charge.acceptedPayments)
    const kind = random.integer(10)
    if (kind === 0) return []
    if (kind === 1) return [{ charge, pair, amountMicro: amountMicro / 2n }]
    if (kind === 2) return [{ charge, pair, amountMicro: amountMicro + someMicro(30) }]
    if (kind === 3) return [{ charge, pair: random.pick(MARKET_PAIRS), amountMicro }]
    if (kind <= 6) {
      const part = amountMicro / 3n
      return [
        { charge, pair, amountMicro: part },
        { charge, pair: other, amountMicro: amountMicro - part },
      ]
    }
    return [{ charge, pair, amountMicro }]
  }

  async function payAll(payments: readonly Payment[]): Promise<void> {
    for (const payment of payments.filter(({ amountMicro }) => amountMicro > 0n)) {
      await sendTransfer(devnet, payment)
    }
    await untilMined(devnet)
  }

  async function untilExpired(): Promise<void> {
    const last = Math.max(...charges.map(({ expiresAt }) => Date.parse(expiresAt)))
    await waitFor(() => Date.now() > last + 2000, {
      what: 'the last charge to expire',
      timeoutMs: 2 * EXPIRES_IN_SECONDS * 1000,
      intervalMs: 500,
    })
  }
}

type Payment = { readonly charge: MarketCharge; readonly pair: Pair; readonly amountMicro: bigint }

async function registerPartners(devnet: Devnet, partners: readonly Address[]): Promise<readonly string[]> {
  const ids = partners.map(() => newId('rc', Date.now()))
  await query(devnet, async (sql) => {
    for (const [index, address] of partners.entries()) {
      await sql`
        insert into recipients (id, organization_id, environment, address, family)
        select ${ids[index] ?? ''}, organization_id, 'live', ${address}, 'evm' from recipients
        where address = ${devnet.description.accounts.merchant.address.toLowerCase()} and environment = 'live'`
    }
  })
  return ids
}

/** Sends a payment without waiting for a block. The node signs it and assigns the nonce. */
async function sendTransfer(devnet: Devnet, { charge, pair, amountMicro }: Payment): Promise<void> {
  const { token } = findToken(devnet.description, pair)
  const units = amountMicro * 10n ** BigInt(token.decimals - 6)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [charge.address, units] })
  await send(devnet, {
    network: pair.network,
    from: devnet.description.accounts.payer.address,
    to: token.address,
    data,
  })
}

type Distribution = {
  readonly charge: MarketCharge
  readonly pair: Pair
  /** The account that receives the incentive. It might not be the sender. */
  readonly distributor: Address
}

async function distribute(devnet: Devnet, { charge, pair, distributor }: Distribution): Promise<void> {
  const { token } = findToken(devnet.description, pair)
  const { keeper } = devnet.description.accounts
  const data = encodeDistribution({
    split: splitOf(charge),
    salt: charge.addressTerms.salt,
    token: addressOf(token.address),
    distributor: addressOf(distributor),
  })
  const to = charge.addressTerms.factory
  // Reverts if there is nothing to distribute, which is allowed. With a fixed gas limit, the node sends it anyway.
  await send(devnet, { network: pair.network, from: keeper.address, to, data, gas: '0x7a120' })
}

/** Returns the charge's terms in the format that the split contract expects. */
export function splitOf({ addressTerms }: MarketCharge) {
  return {
    recipients: addressTerms.recipients.map(({ address }) => addressOf(address)),
    allocations: addressTerms.recipients.map(({ allocation }) => allocation),
    totalAllocation: 1_000_000,
    distributionIncentive: addressTerms.distributionIncentive,
  }
}

async function restrict(devnet: Devnet, partner: Address): Promise<void> {
  const { token } = findToken(devnet.description, { token: 'USDC', network: 'base' })
  const data = encodeFunctionData({
    abi: parseAbi(['function blacklist(address account)']),
    functionName: 'blacklist',
    args: [partner],
  })
  const from = devnet.description.accounts.deployer.address
  await send(devnet, { network: 'base', from, to: token.address, data })
}

type Call = {
  readonly network: Network
  readonly from: Address
  readonly to: Address
  readonly data: Hex
  readonly gas?: Hex
}

async function send(devnet: Devnet, { network, ...transaction }: Call): Promise<void> {
  const { client } = findToken(devnet.description, { token: 'USDC', network })
  await client.request({ method: 'eth_sendTransaction', params: [transaction] } as never)
}

/** Waits until the payer's transactions are mined. The relayer's transactions may stay pending. */
async function untilMined(devnet: Devnet): Promise<void> {
  const { payer } = devnet.description.accounts
  for (const network of ['base', 'bnb'] as const) {
    const { client } = findToken(devnet.description, { token: 'USDC', network })
    const count = (blockTag: 'latest' | 'pending') =>
      client.getTransactionCount({ address: payer.address, blockTag })
    await waitFor(async () => (await count('latest')) === (await count('pending')), {
      what: `the payments on ${network} to be mined`,
      timeoutMs: 60_000,
      intervalMs: 100,
    })
  }
}

/** Replaces base's last block with an empty block, which undoes the payments of the replaced block. */
async function reorganizeBase(devnet: Devnet): Promise<void> {
  await testClient(devnet, 'base').request({ method: 'anvil_reorg', params: [1, []] } as never)
}

async function untilQuiet(devnet: Devnet): Promise<void> {
  await waitFor(
    async () => {
      const [left] = await query(
        devnet,
        (sql) => sql<{ open: number; owed: number; waiting: number }[]>`
          select (select count(*) from charges where status in ('pending', 'partially_paid')) as open,
            (select count(*) from payouts p
             join charge_ledgers l on l.charge_id = p.charge_id and l.network = p.network and l.token = p.token
             join pairs t on t.chain_id = p.chain_id and t.token_address = p.token_address
             where (l.payable_atomic - l.distributed_atomic) * 10::numeric ^ (18 - t.decimals) >= 10::numeric ^ 18)
              + (select count(*) from charges where settled_at is null and received_atto >= 10::numeric ^ 18)
              as owed,
            (select count(*) from transfers where accepted and credited_at is null and inclusion <> 'orphaned')
              as waiting`,
      )
      return left !== undefined && left.open + left.owed + left.waiting === 0
    },
    { what: 'every charge to be final and paid out', timeoutMs: QUIET_WITHIN_MS, intervalMs: 1000 },
  )
}

function addressOf(text: string) {
  const address = parseEvmAddress(text)
  if (address === null) throw new Error(`${text} is not an address`)
  return address
}
