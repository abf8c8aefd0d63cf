import { expect } from 'chai'
import { hexToNumber } from 'viem'
import { listHeadAges } from '../../../shared/db/chain-facts/daemon/head-ages.ts'
import { createOwnerLock, type OwnerLock } from '../../../shared/db/chain-facts/daemon/owner-lock.ts'
import { syncPairs } from '../../../shared/db/organizations/daemon/pairs.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import {
  createPonderFixture,
  createTestFeed,
  FAKE_USDC,
  insertPonderCharge,
  PONDER_TIMEOUT_MS,
  type Stage,
  USDC,
} from '../../support/ponder-fixture.ts'
import { listPonders } from '../../support/ponder-processes.ts'
import { STALE_AFTER } from '../../support/rows.ts'

type Call = { readonly method: string; readonly params: readonly unknown[] }

/** Seconds after which a network with nothing to watch sleeps. */
const SLEEP_AFTER_SECONDS = 1
/** Blocks mined during the first sleep: ten times `finalityBlocks`. */
const SLEPT_BLOCKS = 300

describe('a network with nothing to watch', function () {
  this.timeout(2 * PONDER_TIMEOUT_MS)

  let stage: Stage
  let feed: ReturnType<typeof createTestFeed>
  let calls: Call[]

  before(async () => {
    stage = await createPonderFixture()
    calls = []
    stage.proxy.rule((method, params) => {
      calls.push({ method, params })
      return 'pass'
    })
    feed = createTestFeed(stage, { sleepAfterSeconds: SLEEP_AFTER_SECONDS })
    await feed.start()
    await stage.level()
  })

  after(async () => {
    await feed?.stop()
    await stage?.close()
  })

  const stateOf = async () => {
    const [row] = await stage.sql<
      { asleepSince: Date | null; sleepHeadNumber: number; headNumber: number }[]
    >`select asleep_since, sleep_head_number, head_number from deployments`
    if (row === undefined) throw new Error('no deployment')
    return row
  }

  async function untilAsleep(): Promise<void> {
    await waitFor(
      async () => (await stateOf()).asleepSince !== null && listPonders(process.pid).length === 0,
      {
        what: 'the network to sleep',
        timeoutMs: PONDER_TIMEOUT_MS,
      },
    )
  }

  async function untilCheckedAt(block: number): Promise<void> {
    await waitFor(async () => (await stateOf()).sleepHeadNumber >= block, {
      what: `the check of block ${block}`,
      timeoutMs: PONDER_TIMEOUT_MS,
    })
  }

  /** Ends all charges as the daemon does, moves their last activity to an hour ago, and makes their payments final. */
  async function endCharges(): Promise<void> {
    await stage.chain.mine(stage.deployment.finalityBlocks)
    await stage.owner`update charges set status = 'expired', last_activity_at = now() - interval '1 hour'`
    await stage.owner`update transfers set credited_at = now(), agreed_at = now(), agreed_by = '{before-quorum}'`
  }

  const numbersAsked = (since: number) =>
    calls
      .slice(since)
      .flatMap(({ method, params: [block] }) =>
        method === 'eth_getBlockByNumber' && String(block).startsWith('0x')
          ? [hexToNumber(block as `0x${string}`)]
          : [],
      )

  it('sleeps without a Ponder, and reads only the head from nodes, not other blocks, logs or transactions', async () => {
    await untilAsleep()
    for (let mined = 0; mined < SLEPT_BLOCKS; mined += 100) await stage.chain.mine(100)
    const tip = await stage.chain.tip()
    // The last request of the Ponder process that exited might arrive after its exit.
    const since = calls.length
    await untilCheckedAt(tip)
    const reads = calls.slice(since).filter(({ method }) => /^eth_get(Block|Logs|Transaction)/.test(method))
    expect([
      ...new Set(reads.map(({ method, params }) => `${method} ${JSON.stringify(params)}`)),
    ]).to.deep.equal(['eth_getBlockByNumber ["latest",false]'])
  })

  it('counts as fresh while a quorum agrees on its heads', async () => {
    const query = { chainIds: [stage.chain.chainId], staleAfter: STALE_AFTER }
    await stage.chain.mine()
    await untilCheckedAt(await stage.chain.tip())
    const [age] = await listHeadAges(stage.sql, query)
    expect(age).to.include({ isStale: false })
    expect(age?.ageSeconds).to.be.lessThan(60)
  })

  it('is woken by the first charge that accepts it, and skips all but the last blocks of its sleep', async () => {
    const { sleepHeadNumber, headNumber } = await stateOf()
    expect(sleepHeadNumber - headNumber).to.be.at.least(SLEPT_BLOCKS)
    const since = calls.length
    // Ponder reads whole blocks, the daemon only their headers. No Ponder, however quick, shows the payment first.
    let release: () => void = () => undefined
    const stall = new Promise<void>((resolve) => {
      release = resolve
    })
    stage.proxy.rule(async (method, params): Promise<'pass'> => {
      calls.push({ method, params })
      if (params[1] === true) await stall
      return 'pass'
    })
    const charge = await stage.addCharge()
    const { hash } = await stage.pay(charge.address, 7n)
    await stage.chain.mine()
    await waitFor(async () => (await stage.transfersTo(charge.address)).length === 1, {
      what: 'the payment to be seen',
      timeoutMs: PONDER_TIMEOUT_MS,
      intervalMs: 10,
    })
    const [seen] = await stage.sql`select ponder_schema from transfers where tx_hash = ${hash}`
    expect(seen).to.deep.equal({ ponderSchema: null })
    release()
    await stage.level()
    expect(await stage.transfersTo(charge.address)).to.have.lengthOf(1)
    const [shown] = await stage.sql`select ponder_schema from transfers where tx_hash = ${hash}`
    expect(shown).to.deep.equal({ ponderSchema: await stage.schema() })
    // Ponder also reads the block before its first block.
    const lowest = sleepHeadNumber - stage.deployment.finalityBlocks - 1
    expect(Math.min(...numbersAsked(since))).to.be.at.least(lowest)
    expect((await stateOf()).asleepSince).to.equal(null)
  })

  it('sleeps again after its last charge has ended and the payment is in a final block', async () => {
    await endCharges()
    await untilAsleep()
  })

  it('drops the tables of a generation that was retired two hours ago', async () => {
    const retired = await stage.owner`
      update feeds set retired_at = now() - interval '2 hours' where retired_at is not null returning ponder_schema`
    expect(retired).to.have.lengthOf(1)
    const charge = await stage.addCharge()
    await stage.level()
    await waitFor(
      async () =>
        (await stage.sql`select from pg_namespace where nspname = ${retired[0]?.['ponderSchema']}`).length ===
        0,
      { what: 'the tables to be dropped', timeoutMs: PONDER_TIMEOUT_MS },
    )
    expect(charge.id).to.be.a('string')
    await endCharges()
    await untilAsleep()
  })

  it('wakes for a charge whose database transaction was open while the network fell asleep', async () => {
    const wake = await stage.addCharge()
    await stage.level()
    await stage.chain.mine()
    let charge = { address: wake.address }
    await stage.owner.begin(async (db) => {
      await db`set local idle_in_transaction_session_timeout = 0`
      charge = await insertPonderCharge(db as never, { chainId: stage.chain.chainId })
      await endCharges()
      await untilAsleep()
    })
    await stage.pay(charge.address, 9n)
    await stage.chain.mine()
    await stage.level()
    expect(await stage.transfersTo(charge.address)).to.have.lengthOf(1)
  })

  it('is no longer read by a daemon that loses its lock while the network wakes', async () => {
    await endCharges()
    await untilAsleep()
    await stage.chain.mine(10)
    let hasRead = false
    // Ponder does not reach the head, so the daemon keeps reading the logs.
    stage.proxy.rule((method) => {
      if (method === 'eth_getLogs') hasRead = true
      return method === 'eth_getBlockByNumber' ? 'error' : 'pass'
    })
    await stage.addCharge()
    await waitFor(() => hasRead, { what: 'the first read', timeoutMs: PONDER_TIMEOUT_MS })
    const lock = await takeLock()
    let quietTurns = 0
    const isQuiet = () => {
      quietTurns = hasRead ? 0 : quietTurns + 1
      hasRead = false
      return quietTurns > 40
    }
    await waitFor(isQuiet, {
      what: 'the reads to end',
      timeoutMs: 30_000,
      intervalMs: stage.deployment.pollingIntervalMs,
    })
    await lock.release()
    stage.proxy.rule(() => 'pass')
    await stage.chain.mine()
    await stage.level()
  })

  it('is neither woken nor owned by a daemon whose configuration lacks a token added during the sleep', async () => {
    await endCharges()
    await untilAsleep()
    const { chainId } = stage.chain
    const pair = { chainId, network: 'base', environment: 'live', decimals: 6, enabled: true } as const
    await syncPairs(stage.sql, chainId, [
      { ...pair, token: 'USDC', tokenAddress: USDC },
      { ...pair, token: 'USDT', tokenAddress: FAKE_USDC },
    ])
    await stage.addCharge()
    const lock = createOwnerLock({ databaseUrl: stage.daemonUrl, chainId })
    await waitFor(async () => (await lock.hold()) === 'taken', {
      what: 'the lock to be free for another daemon',
      timeoutMs: PONDER_TIMEOUT_MS,
    })
    expect((await stateOf()).asleepSince).to.be.instanceOf(Date)
    await lock.release()
  })

  /** Ends the session of the feed's lock, and acquires the lock before the feed does. */
  async function takeLock(): Promise<OwnerLock> {
    const lock = createOwnerLock({ databaseUrl: stage.daemonUrl, chainId: stage.chain.chainId })
    await waitFor(
      async () => {
        await stage.sql`
          select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ponder-owner'`
        return (await lock.hold()) === 'taken'
      },
      { what: 'the lock', timeoutMs: PONDER_TIMEOUT_MS, intervalMs: 5 },
    )
    return lock
  }
})
