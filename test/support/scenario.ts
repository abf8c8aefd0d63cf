import { expect } from 'chai'
import { type Address, createTestClient, http, parseAbiItem, type TestClient } from 'viem'
import { requireData } from '../../api/client/client.ts'
import type { Schema } from '../../api/client/schema.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { connect, type Sql } from '../../shared/db/connect.ts'
import { parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { Network, Pair } from '../../shared/domain/networks.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { sendTokens } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'

/** A charge on EVM networks. */
export type ChargeJson = Schema<'Charge'> & { readonly address: Address }

export const USDC_ON_BASE: Pair = { token: 'USDC', network: 'base' }
export const USDC_ON_BNB: Pair = { token: 'USDC', network: 'bnb' }

/**
 * Maximum time until a payment is settled after any process was killed, even on a busy machine. A killed worker's claim
 * lasts 60 s, and a restarted Ponder waits up to 25 s for its lock.
 */
export const SETTLED_WITHIN_MS = 150_000

/** Creates a live charge through the API. */
export async function createCharge(
  { description }: Devnet,
  terms: Partial<Schema<'CreateCharge'>> = {},
): Promise<ChargeJson> {
  const body = { amount: 10, acceptedPayments: [USDC_ON_BASE], expiresIn: 3600, ...terms }
  return (await requireData(createApiCaller(description).POST('/v1/charges', { body }))) as ChargeJson
}

/** Reads a live charge through the API. */
export async function getCharge({ description }: Devnet, id: string): Promise<ChargeJson> {
  const call = createApiCaller(description).GET('/v1/charges/{id}', { params: { path: { id } } })
  return (await requireData(call)) as ChargeJson
}

/** Pays a charge with one ordinary transfer. Returns the transaction's hash once it is mined. */
export function pay(
  { description }: Devnet,
  payment: { charge: Pick<ChargeJson, 'address'>; amount?: string; pair?: Pair },
) {
  const { charge, amount = '10', pair = USDC_ON_BASE } = payment
  return sendTokens(description, { ...pair, amount, from: description.accounts.payer, to: charge.address })
}

/** Waits until the charge that the API returns meets the condition, and returns the charge. */
export function waitForCharge(
  devnet: Devnet,
  id: string,
  condition: { what: string; holds: (charge: ChargeJson) => boolean; timeoutMs?: number },
): Promise<ChargeJson> {
  const { what, holds, timeoutMs = SETTLED_WITHIN_MS } = condition
  return waitFor(
    async () => {
      const charge = await getCharge(devnet, id)
      return holds(charge) && charge
    },
    { what: `charge ${id} to be ${what}`, timeoutMs },
  )
}

/** Waits until the merchant has been paid out. */
export function waitUntilSettled(devnet: Devnet, id: string): Promise<ChargeJson> {
  return waitForCharge(devnet, id, {
    what: 'settled',
    holds: ({ settlementStatus }) => settlementStatus === 'completed',
  })
}

export const SPLIT_DISTRIBUTED = parseAbiItem(
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
)

/** Maximum number of blocks in a query to TRON's nodes. A local TRON takes 40 minutes to mine 5,000 blocks. */
const DISTRIBUTED_BLOCKS = 5_000n

/** Lists the distributions that a charge's split has logged in the last 5,000 blocks of a live network. */
export async function listDistributions(
  { description }: Devnet,
  charge: ChargeJson,
  network: Network = 'base',
) {
  const deployment = description.networks[network]?.live
  const address = parseAddress(charge.address)
  if (!deployment || address === null) throw new Error(`the devnet has no live ${network}`)
  const client = createChainClient({ chainId: deployment.chainId, rpcUrls: [deployment.rpcUrl] })
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const fromBlock = head > DISTRIBUTED_BLOCKS ? head - DISTRIBUTED_BLOCKS : 0n
  return client.getLogs({ address, event: SPLIT_DISTRIBUTED, fromBlock, toBlock: head })
}

/** Creates a client for the test methods of a live chain's anvil: mining, reorganizations, time. */
export function testClient({ description }: Devnet, network: 'base' | 'bnb' = 'base'): TestClient<'anvil'> {
  const rpcUrl = description.networks[network]?.live?.rpcUrl
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
}

/**
 * Runs queries on the database, by default as its owner, for data that the API does not show. Ponder's schemas require
 * `daemon`, a member of the role that owns these schemas.
 */
export async function query<Row>(
  devnet: Devnet,
  read: (sql: Sql) => Promise<Row>,
  role: 'owner' | 'daemon' = 'owner',
): Promise<Row> {
  const sql = connect({ url: devnet.databaseUrls[role], applicationName: 'scenario', maxConnections: 1 })
  try {
    return await read(sql)
  } finally {
    await sql.end()
  }
}

/** Sets the deadlines of charges to a given time. Through the API, a deadline is at least a minute away. */
export function expireAt(devnet: Devnet, deadline: { ids: readonly string[]; seconds: bigint }) {
  return query(
    devnet,
    (sql) =>
      sql`update charges set expires_at = to_timestamp(${Number(deadline.seconds)}), created_at = created_at - interval '1 hour'
          where id = any (${deadline.ids as string[]})`,
  )
}

/**
 * Asserts that a settled charge was credited and paid out once, according to the chain and the database.
 *
 * Waits for the relayer first, because the feed might record the distribution before the relayer reads its receipt.
 */
export async function expectPaidOnce(
  devnet: Devnet,
  charge: ChargeJson,
  network: Network = 'base',
): Promise<void> {
  await query(devnet, (sql) =>
    waitFor(async () => (await countUnresolved(sql, charge)) === 0, {
      what: 'the relayer to detect the outcome of its transactions',
      timeoutMs: SETTLED_WITHIN_MS,
    }),
  )
  expect(await listDistributions(devnet, charge, network), 'distributions on chain').to.have.length(1)
  const counts = await query(
    devnet,
    (sql) => sql`
      select (select count(*) from transfers t where t.charge_id = ${charge.id} and t.credited_at is not null) as credits,
        (select count(*) from events e where e.charge_id = ${charge.id} and e.type = 'charge.confirmed') as confirmed,
        (select count(*) from events e where e.charge_id = ${charge.id} and e.type = 'charge.settled') as settled,
        (select count(*) from relayer_transactions r join payouts p on p.id = r.payout_id
         where p.charge_id = ${charge.id} and r.status in ('mined', 'final')) as payouts`,
  )
  expect({ ...counts[0] }).to.deep.equal({ credits: 1, confirmed: 1, settled: 1, payouts: 1 })
}

async function countUnresolved(sql: Sql, { id }: ChargeJson): Promise<number> {
  const rows = await sql`
    select from relayer_transactions r join payouts p on p.id = r.payout_id
    where p.charge_id = ${id} and r.status = 'signed'`
  return rows.length
}
