import { expect } from 'chai'
import { numberToHex } from 'viem'
import {
  type ObservedTransfer,
  recordChainRows,
} from '../../../shared/db/chain-facts/daemon/observed-rows.ts'
import { markCredited } from '../../../shared/db/charges/daemon/mark-credited.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC, toTopic } from '../../../shared/domain/log-topics.ts'
import { TRON_USDT } from '../../devnet/tron/addresses.ts'
import { catchMessage } from '../../support/payout-fixture.ts'
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
  transfersOf,
  waitForFeed,
} from '../../support/tron-two-apis.ts'

const TEN = 10_000_000n
const INVENTED = '1f'.repeat(32)
const STRANGER = `0x${'a7'.repeat(20)}` as Address
const INFOS = '/walletsolidity/gettransactioninfobyblocknum'
const INFO = '/walletsolidity/gettransactioninfobyid'
/** A text longer than the limit of most responses, 512 KiB. */
const MORE = 'x'.repeat(1024 * 1024)
/** A text longer than the limit for a whole block. */
const LONG = 'x'.repeat(17 * 1024 * 1024)

type Info = { readonly id: string; readonly blockNumber: number }
type Asked = { readonly num?: number; readonly value?: string }
type Call = { readonly method?: string; readonly params?: readonly unknown[] }

/**
 * With two or more nodes, a payment is credited only if two operators agree. With three nodes, a single failing or
 * lying node does not block payments.
 */
describe('the response of a single TRON node', function () {
  this.timeout(300_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutFixture
  let proxy: TronProxy
  /** A third, honest node. */
  let third: TronProxy

  before(async () => {
    tron = await startTronChain()
  })
  after(() => tron.stop())
  beforeEach(async () => {
    stage = await createTronPayoutFixture(tron)
    proxy = await startTronProxy(tron.url)
    third = await startTronProxy(tron.url)
  })
  afterEach(async () => {
    Object.assign(tron.chain.habits, { losesLogs: false, lagBlocks: 0, solidLagBlocks: 0 })
    await Promise.all([proxy.stop(), third.stop()])
    await stage.close()
  })

  it('does not create a payment from an invented transaction, and the node is reported', async () => {
    const charge = await stage.open(TEN)
    await stage.mine(20)
    invent(charge, { id: INVENTED, blockNumber: tron.chain.solid().number })
    const lines = await stage.reconcile({ urls: [tron.url, proxy.url] })
    await stage.takeTurns()
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const alerts = lines.filter(({ level }) => level === 'error')
    expect(alerts.map(({ tx_hash: hash, msg }) => [hash, msg])).to.deep.equal([
      [`0x${INVENTED}`, 'A node lists a transaction that a quorum denies: it does not count'],
    ])
  })

  it('does not create a payment if both its APIs show a payment that another node denies, and the node is reported once', async () => {
    const charge = await inventAtBothApis()
    expect(await catchMessage(stage.reconcile({ urls: [proxy.url, tron.url] }))).to.include(
      'no quorum confirms or denies a transaction',
    )
    const { turn, lines } = createCorroborationTurn(stage, [proxy.url, tron.url])
    for (let seconds = 0; seconds <= 300; seconds += 60) {
      await turn()
      await stage.takeTurns()
      stage.advance(60)
    }
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    expect(lines.map(({ level, tx_hash: hash }) => [level, hash])).to.deep.equal([['error', `0x${INVENTED}`]])
  })

  it('is outvoted by two other nodes, even about a payment that both its APIs show', async () => {
    const charge = await inventAtBothApis()
    const { turn, lines } = createCorroborationTurn(stage, [proxy.url, tron.url, third.url])
    await turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const rows = await stage.sql`select inclusion from transfers where charge_id = ${charge.chargeId}`
    expect(rows.map(({ inclusion }) => inclusion)).to.deep.equal(['orphaned'])
    expect(lines.map(({ msg }) => msg)).to.deep.equal([
      'A row of the feed differs from the quorum: it does not count',
    ])
  })

  it('does not create a payment from an existing transaction without logs', async () => {
    const charge = await stage.open(TEN)
    await stage.fund(STRANGER, 1)
    const { number, transactions } = tron.chain.head()
    await stage.mine(20)
    invent(charge, { id: transactions[0]?.hash.slice(2) ?? INVENTED, blockNumber: number })
    // A quorum agrees that the transaction has no logs, so the range is complete.
    await stage.reconcile({ urls: [tron.url, proxy.url] })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
  })

  for (const [name, again] of [
    ['twice', (info: Info) => info],
    ['again with its id in upper case', (info: Info) => ({ ...info, id: info.id.toUpperCase() })],
  ] as const)
    it(`leads to one credit if it lists a payment ${name}`, async () => {
      const charge = await stage.open(TEN)
      await stage.payDeep(charge, TEN)
      proxy.rule((path) =>
        path === INFOS ? (infos: readonly Info[]) => [...infos, ...infos.map(again)] : 'pass',
      )
      const nodes = [proxy.url, tron.url, third.url]
      await stage.reconcile({ urls: nodes })
      await stage.takeTurns()
      expect(await transfersOf(stage, charge)).to.have.lengthOf(1)
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    })

  it('does not hide a payment even if it names another charge for that payment', async () => {
    const [paid, named] = [await stage.open(TEN), await stage.open(TEN)]
    await stage.payDeep(paid, TEN)
    await waitForFeed(stage)
    await stage.sql`
      update transfers set charge_id = ${named.chargeId}, accepted = false, rejection_reason = 'pair_not_accepted'`
    await stage.sql`update reconciliations set scanned_block_number = scanned_block_number - 25`
    await stage.reconcile()
    await stage.takeTurns()
    expect(await stage.chargeOf(paid)).to.include({ status: 'confirmed' })
    expect(await stage.chargeOf(named)).to.include({ status: 'pending' })
  })

  it('does not mark a payment as verified if the feed has changed its amount since', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, 4_000_000n)
    await waitForFeed(stage)
    const [row] = await observed()
    if (row === undefined) throw new Error('the payment is not recorded')
    const dearer = { ...row, amountAtomic: TEN, amountAtto: TEN * 10n ** 12n } as ObservedTransfer

    await createCorroborationTurn(stage).turn()
    await recordChainRows(stage.daemonSql, 'transfers', {
      rows: [dearer],
      ponderSchema: 'ponder_tron_live_0',
    })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const [{ id } = { id: 0 }] = await stage.sql<{ id: number }[]>`select id from transfers`
    const { blockHash, amountAtto, blockTimestamp } = row
    const decided = { id, blockHash, amountAtto, blockTimestamp, onTime: true, causedTransition: true }
    expect(
      await markCredited(stage.daemonSql, [decided], stage.time.now),
      'decided on the old amount',
    ).to.equal(0)

    await recordChainRows(stage.daemonSql, 'transfers', { rows: [row], ponderSchema: 'ponder_tron_live_0' })
    await createCorroborationTurn(stage).turn()
    await recordChainRows(stage.daemonSql, 'transfers', { rows: [row], ponderSchema: 'ponder_tron_live_0' })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge), 'once the original amount is back').to.include({
      status: 'partially_paid',
    })
  })

  it('is awaited without an error while the node’s other API is several blocks behind', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    tron.chain.habits.solidLagBlocks = 3
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    tron.chain.habits.solidLagBlocks = 0
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.have.lengthOf(1)
  })

  it('leads to an alert for each of eight payments while the other node is throttled, and to credits only afterwards', async () => {
    const charges: TronCharge[] = []
    for (let count = 0; count < 8; count += 1) charges.push(await stage.open(TEN))
    await stage.payAtOnce(charges, TEN)
    await waitForFeed(stage)
    // The node still lists its blocks, but returns the effects of transactions at neither API.
    proxy.rule((path) => (path === INFO ? 'refuse' : path === '/jsonrpc' ? throttleReceipts : 'pass'))
    const { turn, lines } = createCorroborationTurn(stage, [proxy.url, tron.url])
    for (let seconds = 0; seconds <= 180; seconds += 60) {
      await turn()
      await stage.takeTurns()
      stage.advance(60)
    }
    expect(await confirmed()).to.deep.equal([])
    expect(lines.map(({ level }) => level)).to.deep.equal(charges.map(() => 'error'))

    proxy.rule(() => 'pass')
    await turn()
    await stage.takeTurns()
    expect(await confirmed()).to.have.members(charges.map(({ chargeId }) => chargeId))
  })

  it('does not credit a payment while the other node is down', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    proxy.rule(() => 'refuse')
    const { turn } = createCorroborationTurn(stage, [proxy.url, tron.url])
    await turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
  })

  it('is taken from /jsonrpc, with an alert, for a block that is too large for /walletsolidity', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    const long = tron.chain.solid().number
    proxy.rule((path) =>
      path === INFOS
        ? (infos: readonly Info[], { num }: Asked) => (num === long ? [...infos, { LONG }] : infos)
        : 'pass',
    )
    const lines = await stage.reconcile({ urls: [proxy.url] })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    const alerts = lines.filter(({ level }) => level === 'error')
    expect(alerts.map(({ block_number: number }) => number)).to.deep.equal([long])
  })

  it('confirms a payment even if the effects of its transaction exceed 1 MiB', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    proxy.rule((path) => (path === INFO ? (info: object) => ({ ...info, contractResult: [MORE] }) : 'pass'))
    await createCorroborationTurn(stage, [proxy.url]).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('from both its APIs suffices together with /jsonrpc of another node whose /walletsolidity has lost the payment', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    proxy.rule((path) => (path === INFO ? () => ({}) : 'pass'))
    await createCorroborationTurn(stage, [proxy.url, tron.url]).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('does not prevent the recording of one payment if it reports another payment incorrectly', async () => {
    const [shown, unshown] = [await stage.open(TEN), await stage.open(TEN)]
    await stage.payAtOnce([unshown, shown], TEN)
    const [first] = tron.chain.solid().transactions
    proxy.rule((path) =>
      path === INFO
        ? (info: object, { value }: Asked) =>
            `0x${value}` === first?.hash ? { id: INVENTED, blockNumber: 1 } : info
        : 'pass',
    )
    expect(await catchMessage(stage.reconcile({ urls: [proxy.url] }))).to.include(
      'no quorum confirms or denies a transaction',
    )
    expect(await transfersOf(stage, shown)).to.have.lengthOf(1)
    expect(await transfersOf(stage, unshown)).to.deep.equal([])
  })

  it('is not a denial if the node lists the transaction but has not stored its effects', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await waitForFeed(stage)
    // One node stores no effects of transactions. The other node denies the payment at `/jsonrpc`.
    proxy.rule((path) => (path === INFO ? () => ({}) : path === '/jsonrpc' ? hideReceipts : 'pass'))
    third.rule((path) => (path === '/jsonrpc' ? hideTransactions : 'pass'))
    await createCorroborationTurn(stage, [proxy.url, third.url]).turn()
    const rows = await stage.sql`select inclusion from transfers`
    expect(rows.map(({ inclusion }) => inclusion)).to.deep.equal(['included'])
  })

  /**
   * Creates a charge with an invented payment that the feed has recorded and that the proxy's node shows at both its
   * APIs.
   */
  async function inventAtBothApis(): Promise<TronCharge> {
    const real = await stage.pay(TEN)
    const charge = await stage.open(TEN)
    await inventPayment(stage, { charge, real, txHash: `0x${INVENTED}` })
    const [row] = await stage.sql<{ blockNumber: number }[]>`
      select block_number from transfers where charge_id = ${charge.chargeId}`
    invent(charge, { id: INVENTED, blockNumber: row?.blockNumber ?? 0 }, true)
    await stage.sql`update reconciliations set scanned_block_number = ${(row?.blockNumber ?? 0) - 1}`
    return charge
  }

  async function confirmed(): Promise<readonly string[]> {
    const rows = await stage.sql<{ id: string }[]>`select id from charges where status = 'confirmed'`
    return rows.map(({ id }) => id)
  }

  /** Makes the proxy's node show an invented payment, at `/walletsolidity` only or at both its APIs. */
  function invent({ splitAddress }: TronCharge, { id, blockNumber }: Info, isAtBoth = false): void {
    const words = [TRANSFER_TOPIC, toTopic(TRON_USDT as Address), toTopic(splitAddress)]
    const log = {
      address: TRON_USDT.slice(2),
      topics: words.map((word) => word.slice(2)),
      data: TEN.toString(16).padStart(64, '0'),
    }
    const info = { id, blockNumber, receipt: { result: 'SUCCESS' }, log: [log] }
    const place = {
      ...{ transactionHash: `0x${id}`, transactionIndex: '0x0', blockNumber: numberToHex(blockNumber) },
      blockHash: tron.chain.blocks()[blockNumber]?.hash,
    }
    const logs = [{ ...place, logIndex: '0x0', address: TRON_USDT, topics: words, data: `0x${log.data}` }]
    const result = { ...place, status: '0x1', from: STRANGER, to: TRON_USDT, logs, type: '0x0' }
    proxy.rule((path) => {
      if (path === INFOS)
        return (infos: readonly Info[], { num }: Asked) =>
          num === blockNumber ? [...infos.filter((one) => one.id !== id), info] : infos
      if (path === INFO) return (answer: object, { value }: Asked) => (value === id ? info : answer)
      if (path === '/jsonrpc' && isAtBoth)
        return (answer: object, { method, params }: Call) =>
          method === 'eth_getTransactionReceipt' && params?.[0] === `0x${id}` ? { ...answer, result } : answer
      return 'pass'
    })
  }

  /** Returns the recorded transfers as rows of the feed. */
  function observed(): Promise<readonly ObservedTransfer[]> {
    return stage.sql<ObservedTransfer[]>`
      select charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, '' as kind,
        sender as party, value_atomic as amount_atomic, accepted as is_accepted, amount_atto, rejection_reason, block_number, block_hash, block_timestamp, log_index from transfers`
  }
})

type Block = { readonly transactions?: readonly unknown[] }

function throttleReceipts(answer: { readonly id: number }, { method }: Call): object {
  if (method !== 'eth_getTransactionReceipt') return answer
  return { jsonrpc: '2.0', id: answer.id, error: { code: -32005, message: 'limit exceeded' } }
}

function hideReceipts(answer: object, { method }: Call): object {
  return method === 'eth_getTransactionReceipt' ? { ...answer, result: null } : answer
}

/** Makes the node's `/jsonrpc` deny every transaction. */
function hideTransactions(answer: { readonly result?: Block | null }, call: Call): object {
  if (call.method !== 'eth_getBlockByNumber') return hideReceipts(answer, call)
  return { ...answer, result: { ...answer.result, transactions: [] } }
}
