import { expect } from 'chai'

import { SCANS } from '../../../indexer/reconciliation/families.ts'
import { recordFound } from '../../../indexer/reconciliation/record-found.ts'
import { addressTopic, TRANSFER_TOPIC } from '../../../indexer/transport/log-filter.ts'
import { type ChainNode, createChainNodes } from '../../../indexer/transport/node-heads.ts'
import { type ObservedTransfer, recordTransfers } from '../../../shared/db/chain-facts/daemon/transfers.ts'
import { markCredited } from '../../../shared/db/charges/daemon/charge-state.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../../devnet/tron/addresses.ts'
import { failureOf } from '../../support/payout-stage.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  setTronPayoutStage,
  startTronChain,
  type TronCharge,
  type TronPayoutStage,
} from '../../support/tron-payout-stage.ts'
import { startTronProxy, type TronProxy } from '../../support/tron-proxy.ts'
import { confirmationOf, leaveToFeed, transfersOf, WATCHED_TRON } from '../../support/tron-two-apis.ts'

const TEN = 10_000_000n
const INVENTED = '1f'.repeat(32)
const STRANGER = `0x${'a7'.repeat(20)}` as Address
const INFOS = '/walletsolidity/gettransactioninfobyblocknum'
const INFO = '/walletsolidity/gettransactioninfobyid'
/** More than most transactions do. */
const MORE = 'x'.repeat(1024 * 1024)
/** More than is taken of a whole block. */
const LONG = 'x'.repeat(17 * 1024 * 1024)

type Info = { readonly id: string; readonly blockNumber: number }
type Asked = { readonly num?: number; readonly value?: string }

/** Money is credited on two accounts that agree, never on one; and one that fails or lies stops nothing. */
describe('the word of one node of TRON', function () {
  this.timeout(300_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutStage
  let proxy: TronProxy

  before(async () => {
    tron = await startTronChain()
  })
  after(() => tron.stop())
  beforeEach(async () => {
    stage = await setTronPayoutStage(tron)
    proxy = await startTronProxy(tron.url)
  })
  afterEach(async () => {
    Object.assign(tron.chain.habits, { losesLogs: false, lagBlocks: 0, solidLagBlocks: 0 })
    await proxy.stop()
    await stage.close()
  })

  it('makes no payment of a transaction that nobody sent, and is told of', async () => {
    const charge = await stage.open(TEN)
    await stage.mine(20)
    invent(charge, { id: INVENTED, blockNumber: tron.chain.solid().number })
    const lines = await stage.reconcile({ urls: [tron.url, proxy.url] })
    await stage.takeTurns()
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const alerts = lines.filter(({ level }) => level === 'error')
    expect(alerts.map(({ tx_hash: hash, verdict }) => [hash, verdict])).to.deep.equal([
      [`0x${INVENTED}`, 'other'],
    ])
  })

  it('makes none of what it tells at both its APIs, while another node denies it', async () => {
    const charge = await stage.open(TEN)
    await stage.mine(20)
    const { number: blockNumber } = tron.chain.solid()
    invent(charge, { id: INVENTED, blockNumber })
    const [node] = createChainNodes({ chainId: TRON_CHAIN_ID, rpcUrls: [`${proxy.url}/jsonrpc`] })
    const told = await SCANS.tron.sourceOf(node as ChainNode).readReceipt(`0x${INVENTED}`)
    if (told === null) throw new Error('the node tells of it')
    await recordFound({ sql: stage.daemonSql, log: recordingLog().log }, WATCHED_TRON, [told])
    await leaveToFeed(stage)

    await stage.reconcile({ urls: [proxy.url, tron.url] })
    const { turn, lines } = confirmationOf(stage, [proxy.url, tron.url])
    for (let seconds = 0; seconds <= 120; seconds += 20) {
      await turn()
      stage.advance(20)
    }
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    expect(lines.map(({ level, tx_hash: hash }) => [level, hash])).to.deep.equal([['error', `0x${INVENTED}`]])
  })

  it('makes none of a transaction that is there and has logged nothing', async () => {
    const charge = await stage.open(TEN)
    await stage.fund(STRANGER, 1)
    const { number, transactions } = tron.chain.head()
    await stage.mine(20)
    invent(charge, { id: transactions[0]?.hash.slice(2) ?? INVENTED, blockNumber: number })
    await stage.reconcile({ urls: [tron.url, proxy.url] })
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
  })

  for (const [name, again] of [
    ['twice', (info: Info) => info],
    ['in upper case, too', (info: Info) => ({ ...info, id: info.id.toUpperCase() })],
  ] as const)
    it(`counts a payment once of which it tells ${name}`, async () => {
      const charge = await stage.open(TEN)
      await stage.payDeep(charge, TEN)
      proxy.rule((path) =>
        path === INFOS ? (infos: readonly Info[]) => [...infos, ...infos.map(again)] : 'pass',
      )
      const reconciled = stage.reconcile({ urls: [proxy.url, tron.url] })
      expect(await failureOf(reconciled), 'of the range').to.include('no second node confirms')
      await stage.takeTurns()
      expect(await transfersOf(stage, charge)).to.have.lengthOf(1)
      expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
    })

  it('does not hide a payment by saying that what stands in its place counts for nothing', async () => {
    const [paid, named] = [await stage.open(TEN), await stage.open(TEN)]
    await stage.payDeep(paid, TEN)
    await leaveToFeed(stage)
    await stage.sql`
      update transfers set charge_id = ${named.chargeId}, accepted = false, refusal = 'pair_not_accepted'`
    await stage.sql`update reconciliations set scanned_number = scanned_number - 25`
    await stage.reconcile()
    await stage.takeTurns()
    expect(await stage.chargeOf(paid)).to.include({ status: 'confirmed' })
    expect(await stage.chargeOf(named)).to.include({ status: 'pending' })
  })

  it('keeps no mark when the feed says another amount of the same payment since', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, 4_000_000n)
    await leaveToFeed(stage)
    const [row] = await observed()
    if (row === undefined) throw new Error('the payment is recorded')
    const dearer = { ...row, valueAtomic: TEN, amountAtto: TEN * 10n ** 12n } as ObservedTransfer

    await confirmationOf(stage).turn()
    await recordTransfers(stage.daemonSql, [dearer], 'ponder_tron_live_0')
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'pending' })
    const [{ id } = { id: 0 }] = await stage.sql<{ id: number }[]>`select id from transfers`
    const { blockHash, amountAtto, blockTimestamp } = row
    const decided = { id, blockHash, amountAtto, blockTimestamp, onTime: true, causedTransition: true }
    expect(await markCredited(stage.daemonSql, [decided], stage.time.now), 'decided before').to.equal(0)

    await recordTransfers(stage.daemonSql, [row], 'ponder_tron_live_0')
    await confirmationOf(stage).turn()
    await recordTransfers(stage.daemonSql, [row], 'ponder_tron_live_0')
    await stage.takeTurns()
    expect(await stage.chargeOf(charge), 'the same again').to.include({ status: 'partially_paid' })
  })

  it('is waited for while its other API is some blocks behind, and nothing fails', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    tron.chain.habits.solidLagBlocks = 3
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.deep.equal([])
    tron.chain.habits.solidLagBlocks = 0
    await stage.reconcile()
    expect(await transfersOf(stage, charge)).to.have.lengthOf(1)
  })

  it('is asked for five payments at once, and given up for a minute, with an alert, when it fails three times', async () => {
    const charges: TronCharge[] = []
    for (let count = 0; count < 8; count += 1) charges.push(await stage.open(TEN))
    await stage.payAtOnce(charges, TEN)
    await leaveToFeed(stage)
    let asked = 0
    proxy.rule((path) => {
      if (path !== INFO) return 'pass'
      asked += 1
      return 'refuse'
    })
    const { turn, lines } = confirmationOf(stage, [proxy.url, tron.url])
    for (let turns = 1; turns <= 3; turns += 1) {
      await turn()
      await stage.takeTurns()
      expect(asked).to.equal(5 * turns)
      const confirmed = await stage.sql`select from charges where status = 'confirmed'`
      expect(confirmed, 'on the word of the other alone').to.have.lengthOf(turns < 3 ? 0 : 8)
      stage.advance(20)
    }
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn', 'warn', 'error'])
    await stage.payDeep(await stage.open(TEN), TEN)
    await leaveToFeed(stage)
    await turn()
    expect(asked, 'in its minute').to.equal(15)
    for (const charge of charges) expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('is had from its first API, with an alert, of a block that is too long for the other', async () => {
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

  it('is had of a transaction that did more than most', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await leaveToFeed(stage)
    proxy.rule((path) => (path === INFO ? (info: object) => ({ ...info, contractResult: [MORE] }) : 'pass'))
    await confirmationOf(stage, [proxy.url]).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('is enough beside the first API of another, whose second has lost the payment', async () => {
    const charge = await stage.open(TEN)
    await stage.payDeep(charge, TEN)
    await leaveToFeed(stage)
    proxy.rule((path) => (path === INFO ? () => ({}) : 'pass'))
    await confirmationOf(stage, [proxy.url, tron.url]).turn()
    await stage.takeTurns()
    expect(await stage.chargeOf(charge)).to.include({ status: 'confirmed' })
  })

  it('is recorded of one payment though it cannot be had of another', async () => {
    const [told, untold] = [await stage.open(TEN), await stage.open(TEN)]
    await stage.payAtOnce([untold, told], TEN)
    const [first] = tron.chain.solid().transactions
    proxy.rule((path) =>
      path === INFO
        ? (info: object, { value }: Asked) =>
            `0x${value}` === first?.hash ? { id: INVENTED, blockNumber: 1 } : info
        : 'pass',
    )
    expect(await failureOf(stage.reconcile({ urls: [proxy.url] }))).to.include('no second node confirms')
    expect(await transfersOf(stage, told)).to.have.lengthOf(1)
    expect(await transfersOf(stage, untold)).to.deep.equal([])
  })

  /** The proxy’s node tells of a payment that was not. */
  function invent({ splitAddress }: TronCharge, { id, blockNumber }: Info): void {
    const words = [TRANSFER_TOPIC, addressTopic(TRON_USDT as Address), addressTopic(splitAddress)]
    const log = {
      address: TRON_USDT.slice(2),
      topics: words.map((word) => word.slice(2)),
      data: TEN.toString(16).padStart(64, '0'),
    }
    const info = { id, blockNumber, receipt: { result: 'SUCCESS' }, log: [log] }
    proxy.rule((path) => {
      if (path === INFOS)
        return (infos: readonly Info[], { num }: Asked) =>
          num === blockNumber ? [...infos.filter((one) => one.id !== id), info] : infos
      if (path === INFO) return (answer: object, { value }: Asked) => (value === id ? info : answer)
      return 'pass'
    })
  }

  /** The rows as the feed would record them. */
  function observed(): Promise<readonly ObservedTransfer[]> {
    return stage.sql<ObservedTransfer[]>`
      select charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender, value_atomic,
        amount_atto, refusal, block_number, block_hash, block_timestamp, log_index from transfers`
  }
})
