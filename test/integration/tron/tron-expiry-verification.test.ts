import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

import { type BalancesAt, createBalanceReader } from '../../../indexer/reconciliation/balance-reader.ts'
import { searchCharge } from '../../../indexer/reconciliation/search-charge.ts'
import { createExpiryVerifier } from '../../../indexer/reconciliation/verify-expiries.ts'
import type { ChargeRow } from '../../../shared/db/charges/charge-row.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { createLogger } from '../../../shared/runtime/logger.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import type { TronBlock } from '../../devnet/tron/tron-block.ts'
import { insertChargeRows } from '../../support/charge-rows.ts'
import { buildCharge } from '../../support/factories.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { createTronFixture, mintUsdt, type TronFixture } from '../../support/tron-fixture.ts'
import { startTronProxy } from '../../support/tron-proxy.ts'
import { tronChainAt, WATCHED_TRON } from '../../support/tron-two-apis.ts'

const USDT = TRON_USDT as Address
const SPLIT = `0x${'5b'.repeat(20)}` as Address
const CONFIRMATIONS = 19
/** A time after all blocks that a test mines, in Unix seconds. */
const LATE = Math.floor(Date.now() / 1000) + 3_600
const CHARGE = {
  ...{ id: 'ch_one', address: SPLIT, splitAddress: SPLIT, environment: 'live' as const, isEscrow: false },
  ...{ acceptedPayments: ['USDT/tron'], createdAt: new Date() },
}

/** A TRON node has the state of only two blocks: its solidified block and its latest block. */
describe('the balances of a TRON charge', function () {
  this.timeout(60_000)

  let stage: TronFixture
  before(async () => {
    stage = await createTronFixture()
    await mintUsdt(stage, SPLIT, 5n)
    for (let blocks = 0; blocks < 20; blocks += 1) await stage.chain.mine()
    await mintUsdt(stage, SPLIT, 7n)
  })
  after(() => stage?.stop())

  const mark = ({ number, timestamp }: TronBlock) => ({ number, timestamp })
  const ref = ({ number, hash, timestamp }: TronBlock) => ({ number, hash, timestamp })
  const read = (place: { headNumber?: number; isStanding?: boolean; url?: string } = {}) => {
    const { chain } = stage
    const head = { ...mark(chain.head()), number: place.headNumber ?? chain.head().number }
    const isStanding = place.isStanding ?? false
    const reader = createBalanceReader({
      deployment: WATCHED_TRON,
      chain: tronChainAt([place.url ?? stage.url]).chain,
      onUnread: () => undefined,
      log: createLogger({ level: 'silent', service: 'test' }),
    })
    return reader.read([CHARGE], {
      ...{ head, isStanding },
      block: ref(isStanding ? chain.head() : chain.solid()),
    })
  }

  it('are read at the solidified block, which the reader returns with them', async () => {
    const { block, found, unread } = await read()
    expect(found.map(({ foundAtomic }) => foundAtomic)).to.deep.equal([5n])
    expect(block).to.deep.equal(mark(stage.chain.solid()))
    expect(unread.size).to.equal(0)
  })

  it('are read at the latest block while the chain is stalled', async () => {
    const { block, found } = await read({ isStanding: true })
    expect(found.map(({ foundAtomic }) => foundAtomic)).to.deep.equal([12n])
    expect(block).to.deep.equal(mark(stage.chain.head()))
  })

  it('are unverified while the feed is behind the block whose state a node has', async () => {
    const { found, unread, besides } = await read({ headNumber: stage.chain.solid().number - 1 })
    expect(found).to.deep.equal([])
    expect([...unread]).to.deep.equal([CHARGE.id])
    expect(amountsOf(besides), 'an excess counts nevertheless').to.deep.equal([5n])
  })

  it('are unverified if the node advanced during the read, because their block is then unknown', async () => {
    const proxy = await startProxy(stage.url, async (path) => {
      if (path.endsWith('triggerconstantcontract')) await stage.chain.mine()
    })
    const { found, unread, besides } = await read({ url: proxy.url })
    proxy.server.close()
    expect(found).to.deep.equal([])
    expect([...unread]).to.deep.equal([CHARGE.id])
    expect(amountsOf(besides), 'an excess counts nevertheless').to.deep.equal([5n])
  })

  it('are not evidence while they belong to a block before the deadline of the charge', async () => {
    // A quorum has that block at confirmation depth, but the API that reads balances is several blocks behind it.
    const deep = stage.chain.blocks()[stage.chain.head().number - CONFIRMATIONS + 1] ?? stage.chain.head()
    const expiresAt = new Date(deep.timestamp * 1000)
    const charge = { ...openCharge(stage), expiresAt }
    stage.chain.habits.solidLagBlocks = 3
    const database = await createTestDatabase()
    try {
      await insertOpen(database.sql, charge)
      const { turn } = createExpiryVerifier({
        ...{ sql: database.sql, silentSeconds: 900, now: () => expiresAt },
        deployment: { ...WATCHED_TRON, confirmations: CONFIRMATIONS, blockTimeMs: 3_000 },
        ...tronChainAt([stage.url]),
        ...{ log: recordingLog().log, onNews: () => undefined },
        metrics: { countFound: () => undefined, noteVerdict: () => undefined },
      })
      await database.sql`
        insert into expiry_verifications (charge_id, chain_id, next_attempt_at) values (${charge.id}, ${TRON_CHAIN_ID}, now())`
      await turn()
      const results = await database.sql<{ result: string }[]>`select result from expiry_verifications`
      expect(results.map(({ result }) => result)).to.deep.equal(['unverified'])
      stage.chain.habits.solidLagBlocks = 0
      await database.sql`update expiry_verifications set next_attempt_at = now()`
      await turn()
      const [again] = await database.sql<{ result: string }[]>`select result from expiry_verifications`
      expect(again?.result, 'once its balances belong to that block').to.equal('matched')
    } finally {
      stage.chain.habits.solidLagBlocks = 0
      await database.drop()
    }
  })

  it('block the expiry even if only one node shows an excess, at another solidified block', async () => {
    const charge = openCharge(stage)
    const other = await startTronProxy(stage.url)
    const earlier = stage.chain.blocks()[stage.chain.solid().number - 1] ?? stage.chain.solid()
    other.rule((path) => {
      if (path === '/walletsolidity/triggerconstantcontract') return showTen
      if (path === '/walletsolidity/getblock')
        return (answer: object, { id_or_num: of }: { readonly id_or_num?: string }) =>
          of === undefined ? headerOf(earlier) : answer
      return 'pass'
    })
    const database = await createTestDatabase()
    const time = { now: new Date() }
    try {
      await insertOpen(database.sql, charge)
      const { turn } = createExpiryVerifier({
        ...{ sql: database.sql, silentSeconds: 900, now: () => time.now },
        deployment: { ...WATCHED_TRON, confirmations: CONFIRMATIONS, blockTimeMs: 3_000 },
        ...tronChainAt([stage.url, other.url]),
        ...{ log: recordingLog().log, onNews: () => undefined },
        metrics: { countFound: () => undefined, noteVerdict: () => undefined },
      })
      for (let look = 0; look < 2; look += 1) {
        await turn()
        time.now = new Date(time.now.getTime() + 31_000)
        await database.sql`update expiry_verifications set next_attempt_at = now()`
      }
      // The excess prevents the expiry but is not credited to the charge, because the other node does not have the
      // transaction.
      expect(await database.sql`select from transfers`).to.have.lengthOf(0)
      const [evidence] = await database.sql`select result, found_atomic::text from expiry_verifications`
      expect(evidence).to.deep.equal({ result: 'excess', foundAtomic: '10000000' })
    } finally {
      await Promise.all([other.stop(), database.drop()])
    }
  })

  it('lead to a search whose rows do not count above the quorum’s confirmed head, even if one node shows them as solidified', async () => {
    const charge = { ...openCharge(stage), address: SPLIT, splitAddress: SPLIT }
    // This node shows its newest block as solidified.
    const liar = await startProxy(stage.url, () => Promise.resolve(), {
      pathOf: (path) => path.replace('/walletsolidity/', '/wallet/'),
    })
    const database = await createTestDatabase()
    try {
      await insertOpen(database.sql, charge)
      const deps = {
        ...{ sql: database.sql, now: () => new Date(), log: recordingLog().log, onNews: () => undefined },
        deployment: { ...WATCHED_TRON, confirmations: CONFIRMATIONS, blockTimeMs: 3_000 },
        ...tronChainAt([stage.url, liar.url]),
        metrics: { countFound: () => undefined, noteVerdict: () => undefined },
      }
      const searched = { ...CHARGE, id: charge.id, createdAt: charge.createdAt }
      const block = stage.chain.head().number
      const confirmedHeadNumber = block - CONFIRMATIONS + 1
      await searchCharge(deps, { charge: searched, block, confirmedHeadNumber, acceptsOne: true })
      const rows = await database.sql`
        select value_atomic, agreed_at is not null as is_agreed, corroborated_block_hash is not null as counts
        from transfers order by value_atomic`
      expect(rows.map((row) => ({ ...row }))).to.deep.equal([
        { valueAtomic: 5n, isAgreed: true, counts: true },
        { valueAtomic: 7n, isAgreed: true, counts: false },
      ])
    } finally {
      liar.server.close()
      await database.drop()
    }
  })
})

const amountsOf = (besides: readonly BalancesAt[]) =>
  besides.flatMap(({ found }) => found.map(({ foundAtomic }) => foundAtomic))

/** Makes the node report ten dollars for every account. */
function showTen(answer: object): object {
  return { ...answer, constant_result: [(10_000_000).toString(16).padStart(64, '0')] }
}

/** Returns a block as `/walletsolidity/getblock` shows it. */
function headerOf({ number, hash, timestamp }: TronBlock): object {
  return { blockID: hash.slice(2), block_header: { raw_data: { number, timestamp: timestamp * 1000 } } }
}

/** Builds a charge whose deadline passed a minute before the current solidified block. */
function openCharge({ chain }: TronFixture): ChargeRow {
  const expiresAt = new Date((chain.solid().timestamp - 60) * 1000)
  const createdAt = new Date(expiresAt.getTime() - 3_600_000)
  return buildCharge({
    ...{ family: 'tron', acceptedPayments: ['USDT/tron'], acceptedChains: [TRON_CHAIN_ID] },
    ...{ createdAt, lastActivityAt: createdAt, expiresAt },
  })
}

/** Inserts the charge, and a network whose feed is far past the charge's deadline. */
async function insertOpen(sql: Sql, charge: ChargeRow): Promise<void> {
  await sql`insert into organizations (id, name) values ('org_one', 'one')`
  await sql`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, head_number,
      head_timestamp, confirmed_head_number, confirmed_head_timestamp)
    select ${TRON_CHAIN_ID}, 'tron', 'live', 'tron', 19, 3000, 10000, ${LATE}, 9982, ${LATE}`
  await sql`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (${TRON_CHAIN_ID}, 'tron', 'live', 'USDT', ${USDT}, 6, true)`
  await insertChargeRows(sql, [charge])
}

/** Forwards requests, and runs a callback after each response. */
async function startProxy(
  target: string,
  afterwards: (path: string) => Promise<void>,
  { pathOf = (path: string) => path } = {},
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const pass = async () => {
      const body = await text(request)
      const path = request.url ?? '/'
      const answer = await fetch(`${target}${pathOf(path)}`, { method: 'POST', body })
      const answered = await answer.text()
      await afterwards(path)
      response.end(answered)
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
