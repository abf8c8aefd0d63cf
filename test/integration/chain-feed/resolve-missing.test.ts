import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { WatchedDeployment } from '../../../indexer/chain-feed/observe.ts'
import { resolveMissing } from '../../../indexer/chain-feed/resolve-missing.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { chainAt } from '../../support/chain-at.ts'
import { randomHex } from '../../support/factories.ts'
import { type PonderChain, startPonderChain, transferLog } from '../../support/ponder-chain.ts'
import { insertPonderCharge, USDC } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { requestRpc } from '../../support/request-rpc.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const CONFIRMATIONS = 3
/** Number of rows that no quorum confirms or denies, above the number that one turn processes. */
const UNDECIDABLE = 25

describe('resolving missing rows with a real chain', () => {
  let directory: string
  let chain: PonderChain
  let proxy: RpcProxy
  let database: TestDatabase
  let sql: Sql
  let charge: { id: string; address: Address }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'judge-missing-'))
    chain = await startPonderChain({ directory })
    proxy = await startRpcProxy(chain.rpcUrl)
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
    await database.sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms)
      values (${chain.chainId}, 'base', 'live', 'evm', ${CONFIRMATIONS}, 1000)`
  })

  beforeEach(async () => {
    await database.sql`truncate transfers, split_events, escrow_transfers`
    proxy.rule(() => 'pass')
    charge = await insertPonderCharge(database.sql, { chainId: chain.chainId })
  })

  after(async () => {
    await sql?.end()
    await database?.drop()
    await proxy?.stop()
    await chain?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('keeps a row missing while a node has its payment', async () => {
    const hash = await include([{ to: charge.address, amount: 10n }])
    await miss({ hash, ordinal: 0 })
    await judge()
    expect(await inclusions()).to.deep.equal(['missing'])
  })

  it('keeps a row missing while one of two nodes has its payment, whether that node is queried first or second', async () => {
    const other = await startRpcProxy(chain.rpcUrl)
    other.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
    const hash = await include([{ to: charge.address, amount: 10n }])
    await miss({ hash, ordinal: 0 })
    try {
      await judge([other.url, proxy.url])
      await judge([proxy.url, other.url])
      expect(await inclusions()).to.deep.equal(['missing'])
      await judge([other.url])
      expect(await inclusions()).to.deep.equal(['orphaned'])
    } finally {
      await other.stop()
    }
  })

  it('keeps a row missing while a node lists its transaction but has lost the receipt', async () => {
    const hash = await include([{ to: charge.address, amount: 10n }])
    const { blockNumber } = Object(await requestRpc(chain.rpcUrl, 'eth_getTransactionReceipt', [hash]))
    await miss({ hash, ordinal: 0, blockNumber: Number(blockNumber) })
    proxy.rule((method) => (method === 'eth_getTransactionReceipt' ? { result: null } : 'pass'))
    await judge()
    expect(await inclusions()).to.deep.equal(['missing'])
  })

  it('keeps a row missing while one node denies it and the second node is silent', async () => {
    const silent = await startRpcProxy(chain.rpcUrl)
    silent.rule(() => 'error')
    await miss({ hash: randomHex(32), ordinal: 0 })
    await chain.mine(CONFIRMATIONS)
    try {
      await judge([proxy.url, silent.url])
      expect(await inclusions()).to.deep.equal(['missing'])
      silent.rule(() => 'pass')
      await judge([proxy.url, silent.url])
      expect(await inclusions()).to.deep.equal(['orphaned'])
    } finally {
      await silent.stop()
    }
  })

  it('does not orphan a row before its block is at confirmation depth on a node that lacks its payment', async () => {
    await miss({ hash: randomHex(32), ordinal: 0, blockNumber: await chain.tip() })
    await judge()
    expect(await inclusions()).to.deep.equal(['missing'])
    await chain.mine(CONFIRMATIONS)
    await judge()
    expect(await inclusions()).to.deep.equal(['orphaned'])
  })

  it('orphans a row whose transaction, included again, has a transfer of zero at the row’s ordinal', async () => {
    const hash = await include([
      { to: charge.address, amount: 0n },
      { to: charge.address, amount: 10n },
    ])
    await miss({ hash, ordinal: 0 })
    await miss({ hash, ordinal: 1 })
    await judge()
    expect(await inclusions()).to.deep.equal(['orphaned', 'missing'])
  })

  it('orphans the row whose transfer no longer exists, regardless of its ordinal', async () => {
    const hash = await include([{ from: USDC, to: charge.address, amount: 7n }])
    // A node first omitted the transfer of 7, which was then recorded as the second transfer of its transaction. When
    // the transaction was included again, the transfer of 10 no longer existed.
    await miss({ hash, ordinal: 0, amount: 10n })
    await miss({ hash, ordinal: 1, amount: 7n })
    await judge()
    expect(await inclusions()).to.deep.equal(['orphaned', 'missing'])
  })

  it('resolves a row even if more unresolvable rows precede it than one turn processes', async () => {
    const undecidable = Array.from({ length: UNDECIDABLE }, () => randomHex(32))
    for (const hash of undecidable) await miss({ hash, ordinal: 0 })
    await miss({ hash: randomHex(32), ordinal: 0 })
    proxy.rule((method, [hash]) =>
      method === 'eth_getTransactionReceipt' && undecidable.includes(hash as Hex) ? 'error' : 'pass',
    )
    await judge()
    await judge()
    expect((await inclusions()).at(-1)).to.equal('orphaned')
  })

  /** Mines a transaction with these transfers, and brings its block to confirmation depth. */
  async function include(
    transfers: readonly { from?: Address; to: Address; amount: bigint }[],
  ): Promise<Hex> {
    const { hash } = await chain.speak(USDC, transfers.map(transferLog))
    await chain.mine(CONFIRMATIONS)
    return hash
  }

  async function miss(row: {
    hash: Hex
    ordinal: number
    blockNumber?: number
    amount?: bigint
  }): Promise<void> {
    const { hash, ordinal, blockNumber = 0, amount = 10n } = row
    await database.sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, block_hash, block_timestamp, log_index, missing_since)
      values (${charge.id}, 'base', 'USDC', 'contract_watcher', ${chain.chainId}, ${USDC}, ${hash}, ${ordinal}, ${USDC},
        ${String(amount)}, ${String(amount)}, true, 'missing', ${blockNumber}, '0xb1', 1, 0, date_trunc('milliseconds', now()))`
  }

  async function judge(rpcUrls: readonly string[] = [proxy.url]): Promise<void> {
    const { chainId } = chain
    const deployment: WatchedDeployment = {
      ...{ chainId, network: 'base', environment: 'live' },
      tokens: [{ token: 'USDC', address: USDC, emitter: USDC, decimals: 6, emitterDecimals: 6 }],
    }
    const nodes = chainAt(rpcUrls, { chainId })
    const { log } = recordingLog()
    await resolveMissing({
      ...{ sql, deployment, confirmations: CONFIRMATIONS, log, countLostCredit: () => undefined },
      chain: nodes,
    })
  }

  async function inclusions(): Promise<readonly string[]> {
    const rows = await sql<{ inclusion: string }[]>`select inclusion from transfers order by id`
    return rows.map(({ inclusion }) => inclusion)
  }
})
