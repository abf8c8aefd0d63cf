import { expect } from 'chai'

import { checkCharge } from '../../../indexer/charge-checks/check-charge.ts'
import { createSolidifiedSource } from '../../../indexer/corroboration/tron/solidified-source.ts'
import { diffBalances } from '../../../indexer/reconciliation/compare-balances.ts'
import type { ChainNode } from '../../../shared/chain/nodes/chain-nodes.ts'
import { readCanonicalReceipt } from '../../../shared/chain/nodes/receipts.ts'
import {
  countExpiryBlockedCharges,
  insertExpiryOverride,
  listExpiryBlockedCharges,
} from '../../../shared/db/charges/daemon/expiry-overrides.ts'
import { hasDuePayouts } from '../../../shared/db/payouts/daemon/due-payouts.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { catchMessage } from '../../support/payout-fixture.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  createTronPayoutFixture,
  startTronChain,
  type TronCharge,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { startTronProxy, type TronProxy } from '../../support/tron-proxy.ts'
import {
  createCorroborationTurn,
  inventPayment,
  setFeedHead,
  transfersOf,
  tronChainAt,
  WATCHED_TRON,
  waitForFeed,
} from '../../support/tron-two-apis.ts'

const USDT = TRON_USDT as Address
const TEN = 10_000_000n
const INVENTED: Hex = `0x${'1f'.repeat(32)}`

/**
 * The feed reads `/jsonrpc`, and reconciliation reads `/walletsolidity`. A row counts if a quorum with votes of both
 * APIs shows it.
 */
describe('the two APIs of a TRON node', function () {
  this.timeout(300_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutFixture
  let proxy: TronProxy

  before(async () => {
    tron = await startTronChain()
  })
  after(() => tron.stop())
  beforeEach(async () => {
    stage = await createTronPayoutFixture(tron)
    proxy = await startTronProxy(tron.url)
  })
  afterEach(async () => {
    Object.assign(tron.chain.habits, { losesLogs: false, lagBlocks: 0, solidLagBlocks: 0 })
    await proxy.stop()
    await stage.close()
  })

  it('do not credit a payment, and raise an alert, while one API of the only node has lost the logs', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    tron.chain.habits.losesLogs = true
    const { turn, lines } = createCorroborationTurn(stage)
    for (let seconds = 0; seconds <= 180; seconds += 60) {
      await turn()
      await stage.takeTurns()
      stage.advance(60)
    }
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const [{ txHash } = { txHash: null }] = await stage.sql`select tx_hash from transfers`
    const alerts = lines.filter(({ level }) => level === 'error')
    expect(alerts.map(({ tx_hash: hash }) => hash)).to.deep.equal([txHash])

    tron.chain.habits.losesLogs = false
    await turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('do not complete a range while one API of the only node has lost logs that the other API lists', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    tron.chain.habits.losesLogs = true
    expect(await catchMessage(stage.reconcile())).to.include(
      'no quorum confirms or denies a transaction in blocks',
    )
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    tron.chain.habits.losesLogs = false
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.deep.equal([
      { source: 'reconciliation_job', valueAtomic: TEN },
    ])
  })

  it('credit a payment if one API at one of two nodes has lost its logs', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    loseLogs()
    await stage.reconcile({ urls: [tron.url, proxy.url] })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('do not credit a payment if one API has lost its logs at both nodes, even if the other API shows them', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    tron.chain.habits.losesLogs = true
    await createCorroborationTurn(stage, [tron.url, proxy.url]).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
  })

  it('record a payment above the head of a lagging node once that node has caught up', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    tron.chain.habits.lagBlocks = 25
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    tron.chain.habits.lagBlocks = 0
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.have.lengthOf(1)
  })

  it('both identify a log by its index in the block, not by its index in the transaction', async () => {
    const charges = [await stage.open(TEN), await stage.open(TEN)]
    await stage.payAtOnce(charges, TEN)
    await stage.reconcile()
    const rows = await stage.sql<{ txHash: Hex; blockHash: Hex; logIndex: number }[]>`
      select tx_hash, block_hash, log_index from transfers order by log_index`
    const receipts = await Promise.all(rows.map(({ txHash }) => readCanonicalReceipt(node().client, txHash)))
    expect(rows.map(({ logIndex }) => logIndex)).to.deep.equal([0, 1])
    expect(receipts.map((receipt) => [receipt?.blockHash, receipt?.logs[0]?.logIndex])).to.deep.equal(
      rows.map(({ blockHash, logIndex }) => [blockHash, logIndex]),
    )
  })

  it('do not credit a payment that only the feed shows, until the other API shows it', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })

    await createCorroborationTurn(stage).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    expect(await transfersOf(stage, charge)).to.deep.equal([{ source: 'tron_watcher', valueAtomic: TEN }])
  })

  it('do not credit a payment that one API has invented, and report it once', async () => {
    const real = await stage.pay(TEN)
    const charge = await stage.open(TEN)
    await inventPayment(stage, { charge, real, txHash: INVENTED })
    const { turn, lines } = createCorroborationTurn(stage)
    for (let seconds = 0; seconds < 300; seconds += 20) {
      await turn()
      await stage.takeTurns()
      stage.advance(20)
    }
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const alerts = lines.filter(({ level }) => level === 'error')
    expect(alerts.map(({ tx_hash: hash }) => hash)).to.deep.equal([INVENTED])
    expect(alerts[0]?.['msg']).to.include('it does not count')
  })

  it('let a charge expire despite a payment that one API invented, once an operator confirms the expiry', async () => {
    const charge = await stage.open(TEN)
    await inventPayment(stage, { charge, real: await stage.pay(TEN), txHash: INVENTED })
    await passDeadline(charge)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const [held, ...others] = await listExpiryBlockedCharges(stage.sql)
    expect(others).to.deep.equal([])
    expect(held).to.include({ id: charge.chargeId, result: 'unconfirmed', foundAtomic: TEN })
    expect(await countExpiryBlockedCharges(stage.daemonSql)).to.equal(1)

    const order = { chargeId: charge.chargeId, because: 'no explorer shows it' }
    const asked = await insertExpiryOverride(stage.sql, { ...order, isDespiteUnconfirmed: false })
    expect(asked)
      .to.include({ isWaiting: true })
      .and.deep.include({ unconfirmed: [INVENTED] })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    await insertExpiryOverride(stage.sql, { ...order, isDespiteUnconfirmed: true })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
    expect(await listExpiryBlockedCharges(stage.sql)).to.deep.equal([])
    expect(await countExpiryBlockedCharges(stage.daemonSql)).to.equal(0)
  })

  it('block the expiry again after new evidence, until the operator confirms again', async () => {
    const charge = await stage.open(TEN)
    const order = { chargeId: charge.chargeId, because: 'nobody has paid' }
    const orderOf = (isDespiteUnconfirmed: boolean) =>
      insertExpiryOverride(stage.sql, { ...order, isDespiteUnconfirmed })
    const real = await stage.pay(TEN)
    await passDeadline(charge)
    expect((await orderOf(false))?.unconfirmed).to.deep.equal([])
    await inventPayment(stage, { charge, real, txHash: INVENTED })
    await passDeadline(charge)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    expect(await countExpiryBlockedCharges(stage.daemonSql)).to.equal(1)
    await orderOf(false)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    await orderOf(true)
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'expired' })
  })

  it('let an operator expire a charge only with a confirmation, even if the feed’s head is below the unconfirmed payment', async () => {
    const charge = await stage.open(TEN)
    await inventPayment(stage, { charge, real: await stage.pay(TEN), txHash: INVENTED })
    await passDeadline(charge)
    await stage.sql`update deployments set head_number = 1`
    const order = { chargeId: charge.chargeId, because: 'nobody has paid', isDespiteUnconfirmed: false }
    expect((await insertExpiryOverride(stage.sql, order))?.unconfirmed).to.deep.equal([INVENTED])
    expect(await stage.sql`select from expiry_overrides`).to.have.lengthOf(0)
  })

  it('credit the amount on the chain if one API reports another amount', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, 4_000_000n)
    await waitForFeed(stage)
    await stage.sql`update transfers set value_atomic = 10000000, amount_atto = 10000000000000000000`
    await createCorroborationTurn(stage).turn()
    await stage.takeTurns()
    expect(await transfersOf(stage, charge)).to.deep.equal([
      { source: 'tron_watcher', valueAtomic: 4_000_000n },
    ])
    expect(await stage.chargeOf(charge)).to.include({ status: 'partially_paid' })
  })

  it('credit a payment as in time even if one API wrongly reports it as late', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    await stage.sql`update transfers set block_timestamp = block_timestamp + 864000`
    const { turn, lines } = createCorroborationTurn(stage)
    await turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['Recorded a row that the feed did not have'])
  })

  it('do not explain a balance of an expiring charge with a payment that one API invented', async () => {
    const charge = await stage.open(TEN)
    await inventPayment(stage, { charge, real: await stage.pay(TEN), txHash: INVENTED })
    const found = { ...reconciled(charge), foundAtomic: TEN }
    const compared = { found: [found], block: tron.chain.head().number }
    const difference = { ...found, expectedAtomic: 0n }
    const compare = (isStrict: boolean) =>
      diffBalances({ db: stage.daemonSql, deployment: WATCHED_TRON }, { ...compared, isStrict })
    expect(await compare(true)).to.deep.equal([difference])
    expect(await compare(false)).to.deep.equal([])
  })

  it('delay a payout by at most ten minutes because of a distribution that one API invented', async () => {
    const charge = await stage.pay(TEN)
    await stage.sql`
      insert into split_events (charge_id, kind, chain_id, token_address, tx_hash, ordinal, account, amount_atomic,
        inclusion, block_number, block_hash, block_timestamp, log_index)
      values (${charge.chargeId}, 'distributed', ${TRON_CHAIN_ID}, ${USDT}, ${INVENTED}, 1, ${USDT}, 1, 'included', 1, '', 1,
        0)`
    await stage.sql`update payouts set next_attempt_at = '-infinity'`
    await setFeedHead(stage)
    const isDueIn = (seconds: number) =>
      hasDuePayouts(stage.daemonSql, {
        ...{ chainId: TRON_CHAIN_ID, now: new Date(Date.now() + seconds * 1_000) },
      })
    expect(await isDueIn(540)).to.equal(false)
    expect(await isDueIn(660)).to.equal(true)
  })

  it('credit the charge that was paid on the chain if one API names another charge', async () => {
    const [paid, named] = [await stage.open(TEN), await stage.open(TEN)]
    await stage.payDeep(paid, TEN)
    await waitForFeed(stage)
    await stage.sql`update transfers set charge_id = ${named.chargeId}`
    await createCorroborationTurn(stage).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(named)).to.include({ status: 'pending' })
    expect(await stage.chargeOf(paid)).to.include({ status: 'confirmed' })
  })

  it('let a requested check record only payments that both APIs show', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, 4_000_000n)
    const { hash } = tron.chain.solid().transactions[0] ?? { hash: INVENTED }
    proxy.rule((path) => (path === '/jsonrpc' ? raiseLogs : 'pass'))
    await check(charge, hash)
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    proxy.rule(() => 'pass')
    await check(charge, hash)
    expect((await transfersOf(stage, charge)).map(({ valueAtomic }) => valueAtomic)).to.deep.equal([
      4_000_000n,
    ])
  })

  it('receive one request per block, two per block with a transfer, and for more than 40 blocks only requests to `/jsonrpc`', async () => {
    const { charge } = reconciled(await stage.open(TEN))
    await stage.mine(60)
    await stage.payDeep(await stage.open(TEN), TEN)
    const asked: string[] = []
    proxy.rule((path) => {
      asked.push(path)
      return 'pass'
    })
    const source = createSolidifiedSource(node(proxy.url))
    const toBlock = tron.chain.solid().number
    const find = (blocks: number) =>
      source.findLogs({ charges: [charge], emitters: [USDT], fromBlock: toBlock - blocks + 1, toBlock })
    expect(await find(40)).to.deep.equal([])
    // In addition to these 40 blocks, the requests read the chain id, the solidified head, and the header of the block
    // with the other payment.
    expect(asked.filter((path) => path.endsWith('gettransactioninfobyblocknum'))).to.have.lengthOf(40)
    expect(asked).to.have.lengthOf(43)
    await find(40)
    expect(asked, 'read blocks are cached').to.have.lengthOf(43)
    await find(41)
    expect(asked.slice(43).filter((path) => path !== '/jsonrpc')).to.deep.equal([])
  })

  it('are not trusted about a block that the node has not solidified, because such a block would appear empty', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    const { number } = tron.chain.head()
    const scan = { charges: [], emitters: [USDT], fromBlock: number, toBlock: number }
    const other = { ...scan, charges: [{ ...charge, id: charge.chargeId, address: charge.splitAddress }] }
    const failure = await catchMessage(createSolidifiedSource(node()).findLogs(other as never))
    expect(failure).to.include(`has no solidified block ${number}`)
  })

  const node = (url = tron.url) => tronChainAt([url]).chain.nodes[0] as ChainNode

  /** Makes the proxy's node show every transaction at `/jsonrpc` without its logs. */
  const loseLogs = () =>
    proxy.rule((path) => (path === '/jsonrpc' ? (answer: object) => withLogs(answer, () => []) : 'pass'))

  /** Checks a transaction with only the proxy's node. */
  const check = async (charge: TronCharge, txHash: Hex) => {
    const { chain, sources } = tronChainAt([proxy.url])
    const deployment = { ...WATCHED_TRON, confirmations: 19, blockTimeMs: 3_000 }
    const deps = { sql: stage.daemonSql, now: () => stage.time.now, log: recordingLog().log }
    const checked = { ...reconciled(charge).charge, status: 'pending' as const }
    await checkCharge({ ...deps, chains: [{ deployment, chain, sources }] }, checked, {
      network: 'tron',
      txHash,
    })
  }

  /**
   * Records that the chain is past the charge's deadline and that balances were read after the deadline. The invented
   * payment is dated before the deadline.
   */
  const passDeadline = async (charge: TronCharge): Promise<void> => {
    await stage.sql`update transfers set block_timestamp = 1 where tx_hash = ${INVENTED}`
    await stage.sql`
      update charges set created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
      where id = ${charge.chargeId}`
    await stage.sql`
      update deployments set confirmed_head_number = 1, confirmed_head_timestamp = extract(epoch from now())::int8, agreed_head_number = 1,
        agreed_head_hash = ${INVENTED}, agreed_head_timestamp = extract(epoch from now())::int8`
    await stage.sql`
      insert into expiry_verifications (charge_id, chain_id, next_attempt_at, result, block_number, block_timestamp, checked_at)
      values (${charge.chargeId}, ${TRON_CHAIN_ID}, now(), 'matched', 1, extract(epoch from now()), now())
      on conflict do nothing`
  }

  /** Returns the charge as reconciliation searches for it, and the account and the token of its payment. */
  const reconciled = ({ chargeId: id, splitAddress }: TronCharge) => ({
    charge: {
      ...({ id, address: splitAddress, splitAddress, environment: 'live', isEscrow: false } as const),
      ...{ acceptedPayments: ['USDT/tron'], createdAt: stage.time.now },
    },
    account: splitAddress,
    tokenAddress: USDT,
  })
})

type JsonLog = { readonly data: string }

/** Returns a `/jsonrpc` response with changed logs in its receipt, or unchanged if it has no receipt. */
function withLogs(answer: object, change: (logs: readonly JsonLog[]) => readonly JsonLog[]): object {
  const { result } = answer as { result?: { logs?: readonly JsonLog[] } | null }
  if (!Array.isArray(result?.logs)) return answer
  return { ...answer, result: { ...result, logs: change(result.logs as readonly JsonLog[]) } }
}

/** Makes the node report a higher amount than was paid. */
function raiseLogs(answer: object): object {
  return withLogs(answer, (logs) =>
    logs.map((log) => ({ ...log, data: `0x${TEN.toString(16).padStart(64, '0')}` })),
  )
}
