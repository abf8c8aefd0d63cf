import { expect } from 'chai'
import type { TronWeb } from 'tronweb'
import { type EIP1193RequestFn, type Hex, numberToHex } from 'viem'

import { createFilterTransport } from '../../../indexer/transport/filter-transport.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import {
  createTestFeed,
  insertPonderCharge,
  PONDER_TIMEOUT_MS,
  transfersTo,
} from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { tronDeployment } from '../../support/tron-feed-fixture.ts'
import {
  addressOf,
  createTronFixture,
  mintUsdt,
  type TronFixture,
  trigger,
} from '../../support/tron-fixture.ts'

const USDT = TRON_USDT as Address
const NILE = 3448148188

describe('the feed of a TRON deployment', function () {
  this.timeout(3 * PONDER_TIMEOUT_MS)

  let stage: TronFixture
  let database: TestDatabase
  let sql: Sql
  let payer: TronWeb

  before(async () => {
    stage = await createTronFixture()
    payer = stage.walletOf(ACCOUNTS.payer)
    await mintUsdt(stage, addressOf(ACCOUNTS.payer), 1_000_000_000n)
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  })

  after(async () => {
    await sql?.end()
    await database?.drop()
    await stage?.stop()
  })

  const addCharge = () =>
    insertPonderCharge(database.sql, {
      ...{ chainId: TRON_CHAIN_ID, family: 'tron', acceptedPayments: ['USDT/tron'] },
    })
  const pay = async (to: Address, units: bigint) => {
    const { signed } = await trigger(payer, {
      ...{ to: TRON_USDT, signature: 'transfer(address,uint256)' },
      args: [
        { type: 'address', value: formatTronAddress(to) },
        { type: 'uint256', value: String(units) },
      ],
    })
    return `0x${signed.txID}` as const
  }

  describe('its transport', () => {
    const connect = (urls: readonly string[] = [`${stage.url}/jsonrpc`]) =>
      createFilterTransport({
        ...{ chainId: TRON_CHAIN_ID, family: 'tron', rpcUrls: urls },
        ...{ emitters: [USDT], databaseUrl: database.url.ponder },
      })({}).request as EIP1193RequestFn

    type Block = { readonly hash: Hex; readonly transactions: readonly object[] }
    const latest = (request: EIP1193RequestFn) =>
      request({ method: 'eth_getBlockByNumber', params: ['latest', true] }) as Promise<Block>
    const logsOf = (request: EIP1193RequestFn, blockHash: Hex) =>
      request({ method: 'eth_getLogs', params: [{ blockHash }] }) as Promise<
        readonly { transactionHash: Hex }[]
      >

    it('finds a payment in a block whose bloom filter excludes it', async () => {
      const request = connect()
      const { address } = await addCharge()
      const hash = await pay(address, 5n)
      await stage.chain.mine()
      const logs = await logsOf(request, (await latest(request)).hash)
      expect(logs.map(({ transactionHash }) => transactionHash)).to.deep.equal([hash])
    })

    it('removes null fields from responses of an older node', async () => {
      await pay((await addCharge()).address, 5n)
      await stage.chain.mine()
      stage.chain.habits.hasNullFields = true
      const block = await latest(connect())
      stage.chain.habits.hasNullFields = false
      expect(block).to.not.have.property('nonce')
      expect(block.transactions[0])
        .to.include.keys('hash', 'from', 'to')
        .and.not.have.any.keys('nonce', 'value')
    })

    it('returns an error that Ponder does not retry if a block is orphaned', async () => {
      const request = connect()
      await pay((await addCharge()).address, 5n)
      const { hash } = await stage.chain.mine()
      await latest(request)
      stage.chain.habits.beforeLogs = () => stage.chain.fork({ depth: 1 })
      const failure = await logsOf(request, hash).catch((error: unknown) => error)
      expect(failure).to.include({ code: -32601 })
    })

    it('does not show a lower head while a node lags, because Ponder would treat it as a one-block fork', async () => {
      const request = connect()
      await stage.chain.mine()
      const { hash } = await latest(request)
      stage.chain.habits.lagBlocks = 1
      const { hash: shown } = await latest(request)
      stage.chain.habits.lagBlocks = 0
      expect(shown).to.equal(hash)
    })

    it('queries the next node if a node is rate limited', async () => {
      const other = await createTronFixture()
      other.chain.habits.refusedPercent = 100
      const request = connect([`${other.url}/jsonrpc`, `${stage.url}/jsonrpc`])
      const head = await latest(request)
      await other.stop()
      expect(head.hash).to.equal(stage.chain.head().hash)
    })

    it('rejects a node of Nile with a higher head', async () => {
      const nile = await startNile()
      const request = connect([`${nile.url}/jsonrpc`, `${stage.url}/jsonrpc`])
      const { hash } = await latest(request)
      await nile.stop()
      expect(hash).to.equal(stage.chain.head().hash)
    })

    it('divides a range of Ponder that is wider than nodes allow', async () => {
      const request = connect()
      const range = { topics: [], fromBlock: '0x0', toBlock: numberToHex(12_000) } as const
      expect(await request({ method: 'eth_getLogs', params: [range] })).to.be.an('array')
    })
  })

  it('shows each payment once, old or new, even after a fork moves it, and shows no payment on Nile', async () => {
    const nile = await startNile()
    const early = await addCharge()
    await pay(early.address, 1_000_000n)
    await stage.chain.mine()
    const late = await addCharge()
    for (const { address } of [early, late]) await mintUsdt(nile, address, 9n)
    // The payment on Nile comes first. It goes to the same address but is not sent by our payer.
    const node = await startRpcProxy(`${stage.url}/jsonrpc`)
    const asked: string[] = []
    node.rule((method, params) => {
      asked.push(`${method} ${JSON.stringify(params)}`)
      return 'pass'
    })
    const deployment = tronDeployment([`${nile.url}/jsonrpc`, node.url])
    const feed = createTestFeed({
      ...{ sql, deployment, daemonUrl: database.url.daemon, ponderUrl: database.url.ponder },
    })
    await feed.start()
    let ticking = startTicking()
    try {
      const [backfilled] = await until(early.address, () => true)
      expect(backfilled).to.include({ valueAtomic: 1_000_000n, inclusion: 'included', accepted: true })
      expect(await sourceOf(early.address)).to.deep.equal(['tron_watcher'])

      const hash = await pay(late.address, 2_000_000n)
      clearInterval(ticking)
      await stage.chain.mine()
      const number = stage.chain.find(hash)?.block.number ?? 0
      // Stops before the payment's block is solidified, because solidified blocks cannot be orphaned.
      ticking = startTicking(number + 12)
      await until(late.address, () => true)
      clearInterval(ticking)
      const { number: head } = await stage.chain.mine()
      await stage.chain.fork({ depth: head - number + 1, later: true })
      const place = stage.chain.find(hash)?.block
      expect(place?.number).to.be.above(number)
      ticking = startTicking()
      const moved = await until(late.address, (row) => row.blockNumber === place?.number)
      expect(moved).to.have.lengthOf(1)
      expect(moved[0]).to.include({ valueAtomic: 2_000_000n, inclusion: 'included', ordinal: 0 })
      expect(await transfersTo(sql, early.address)).to.have.lengthOf(1)
      const refused = asked.filter((one) =>
        /"(safe|pending)"|eth_(call|getCode|getBalance) .*"0x[0-9a-f]{1,16}"\]$/.test(one),
      )
      expect(refused, 'rejected requests, which would stall the backfill').to.deep.equal([])
    } finally {
      clearInterval(ticking)
      await feed.stop()
      await Promise.all([nile.stop(), node.stop()])
    }
  })

  /** Starts a Nile whose head is higher than ours, so that a client that trusts Nile's node would prefer it. */
  async function startNile(): Promise<TronFixture> {
    const nile = await createTronFixture({ chainId: NILE })
    for (let blocks = 0; blocks < 60; blocks += 1) await nile.chain.mine()
    return nile
  }

  /** Makes the chain advance continuously up to block `last`, as the real chain does. */
  const startTicking = (last = Number.POSITIVE_INFINITY) =>
    setInterval(() => {
      if (stage.chain.head().number < last) void stage.chain.mine()
    }, 1_000)
  const until = (address: Address, is: (row: { blockNumber: number }) => boolean) =>
    waitFor(
      async () => {
        const rows = await transfersTo(sql, address)
        return rows.length > 0 && rows.every(is) ? rows : undefined
      },
      { what: `the ledger to have the transfer to ${address}`, timeoutMs: PONDER_TIMEOUT_MS },
    )
  const sourceOf = async (address: Address) => {
    const rows = await sql<{ source: string }[]>`
      select t.source from transfers t join charges c on c.id = t.charge_id where c.address = ${address}`
    return rows.map(({ source }) => source)
  }
})
