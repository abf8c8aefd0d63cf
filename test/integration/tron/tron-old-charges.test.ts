import { expect } from 'chai'
import { createOldChargeComparison } from '../../../indexer/reconciliation/compare-old-charges.ts'
import { OLD_CHARGES } from '../../../indexer/reconciliation/sources-by-family.ts'
import { ageCharge, compareAll, comparisonCounts, readComparison } from '../../support/old-charge-fixture.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  createTronPayoutFixture,
  startTronChain,
  type TronCharge,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { startTronProxy, type TronProxy } from '../../support/tron-proxy.ts'
import { tronChainAt, WATCHED_TRON } from '../../support/tron-two-apis.ts'

const TEN = 10_000_000n
const HOUR_MS = 3_600_000
const NO_LOGS = { jsonrpc: '2.0', id: 1, result: [] }

/** On TRON, each balance costs one request, so the age of a charge may grow fourfold between two comparisons. */
describe('an old charge on TRON', function () {
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
    await proxy.stop()
    await stage.close()
  })

  for (const [name, ageMs] of [
    ['26 hours', 26 * HOUR_MS],
    ['10 days', 240 * HOUR_MS],
    ['100 days', 2_400 * HOUR_MS],
  ] as const)
    describe(`at ${name}, if the first of three nodes hides all logs`, () => {
      it('is credited, before its age has grown fourfold, with a late payment that a keeper distributed', async () => {
        const charge = await stage.open(TEN)
        await stage.sql`update charges set status = 'expired'`
        const untilMs = stage.time.now.getTime() + ageMs
        stage.advance(25 * 3600)
        await ageCharge(stage, comparison(), { chargeId: charge.chargeId, untilMs })
        await stage.payDeep(charge, TEN)
        await stage.keep(charge)
        const { counts } = await findWithin(charge, 3 * ageMs)
        expect(counts).to.deep.include({ found: 2, unexplained: 0 })
        const [row] = await stage.sql`select received_atto from charges`
        expect(row).to.deep.equal({ receivedAtto: 10n ** 19n })
      })

      it('is settled by a keeper’s distribution within an hour', async () => {
        const charge = await stage.pay(TEN)
        expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'pending' })
        stage.advance(ageMs / 1000)
        await compareAll(stage, comparison())
        await stage.keep(charge)
        await findWithin(charge, HOUR_MS)
        expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      })
    })

  /**
   * Hides the logs at the first of three nodes, verifies that reconciliation has not recorded the charge's recent
   * events, and runs the comparison when the charge is due.
   *
   * @param limitMs - maximum time until the charge is due
   */
  async function findWithin(charge: TronCharge, limitMs: number) {
    // Makes the blocks solidified at every node.
    for (let blocks = 0; blocks < 25; blocks += 1) await stage.chain.mine()
    proxy.rule((path) => (path === '/jsonrpc' ? hideLogs : 'pass'))
    await stage.reconcile()
    const [before] = await stage.sql<{ rows: number }[]>`
      select count(*)::int as rows from split_events where charge_id = ${charge.chargeId}`
    expect(before?.rows, 'rows found by reconciliation').to.equal(0)
    const due = (await readComparison(stage.sql, charge.chargeId))?.dueAt ?? new Date(0)
    expect(due.getTime() - stage.time.now.getTime()).to.be.within(0, limitMs)
    stage.time.now = due
    const found = comparison([proxy.url, stage.url, stage.url.replace('127.0.0.1', 'localhost')])
    await compareAll(stage, found)
    await stage.takeTurns()
    return found
  }

  function comparison(urls: readonly string[] = [stage.url]) {
    const { counts, metrics } = comparisonCounts()
    const { turn } = createOldChargeComparison({
      ...{ sql: stage.daemonSql, log: recordingLog().log, metrics, onNews: () => undefined },
      deployment: { ...WATCHED_TRON, confirmations: 19, blockTimeMs: 3_000 },
      ...{ ...tronChainAt(urls), rule: OLD_CHARGES.tron, now: () => stage.time.now },
    })
    return { turn, counts }
  }
})

function hideLogs(answer: object, request: { readonly method?: string; readonly id?: unknown }): object {
  return request.method === 'eth_getLogs' ? { ...NO_LOGS, id: request.id } : answer
}
