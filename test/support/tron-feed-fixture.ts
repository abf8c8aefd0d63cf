import type { Address } from '../../shared/domain/address.ts'
import { formatTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../devnet/tron/addresses.ts'
import { nodesAt } from './nodes-at.ts'
import { insertPonderCharge, transfersTo } from './ponder-fixture.ts'
import { connectForTest, createTestDatabase } from './postgres.ts'
import { addressOf, createTronFixture, mintUsdt, trigger } from './tron-fixture.ts'

const USDT = TRON_USDT as Address
/** The payer's balance, in atomic units. */
const HELD_UNITS = 1_000_000_000n

type PaidCharge = Awaited<ReturnType<typeof insertPonderCharge>>

/** A chain of either family, with the database URLs and the configuration that two daemons need to watch it. */
export type TwoOwnersFixture = {
  readonly chain: { readonly mine: () => Promise<unknown> }
  readonly daemonUrl: string
  readonly ponderUrl: string
  readonly deployment: DeploymentConfig
  readonly addCharge: () => Promise<PaidCharge>
  /** Sends a transfer of the given atomic units. It is mined in the next block. */
  readonly pay: (to: Address, units: bigint) => Promise<unknown>
  readonly transfersTo: (address: Address) => ReturnType<typeof transfersTo>
  readonly close: () => Promise<void>
}

/** Returns the configuration of a local TRON with these nodes. */
export function tronDeployment(rpcUrls: readonly string[]): DeploymentConfig {
  return {
    ...{ network: 'tron', environment: 'live', family: 'tron', chainId: TRON_CHAIN_ID, ...nodesAt(rpcUrls) },
    ...{ confirmations: 19, finalityBlocks: 30, startBlock: 0, blockTimeMs: 3_000, pollingIntervalMs: 100 },
    tokens: [{ token: 'USDT', address: USDT, decimals: 6, enabled: true, restriction: null }],
  }
}

/** Starts a local TRON and a migrated database, but no feed. */
export async function createTronFeedFixture(): Promise<TwoOwnersFixture> {
  const tron = await createTronFixture()
  await mintUsdt(tron, addressOf(ACCOUNTS.payer), HELD_UNITS)
  const database = await createTestDatabase()
  const sql = connectForTest(database.url.daemon)
  await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  const payer = tron.walletOf(ACCOUNTS.payer)
  return {
    chain: tron.chain,
    ...{ daemonUrl: database.url.daemon, ponderUrl: database.url.ponder },
    deployment: tronDeployment([`${tron.url}/jsonrpc`]),
    addCharge: () =>
      insertPonderCharge(database.sql, {
        ...{ chainId: TRON_CHAIN_ID, family: 'tron', acceptedPayments: ['USDT/tron'] },
      }),
    pay: (to, units) =>
      trigger(payer, {
        ...{ to: TRON_USDT, signature: 'transfer(address,uint256)' },
        args: [
          { type: 'address', value: formatTronAddress(to) },
          { type: 'uint256', value: String(units) },
        ],
      }),
    transfersTo: (address) => transfersTo(sql, address),
    close: async () => {
      await sql.end()
      await database.drop()
      await tron.stop()
    },
  }
}
