import { expect } from 'chai'
import { CASES, listCases } from './cases.ts'
import type { NetworkCase } from './network-case.ts'
import { createNetworkFixture, type NetworkFixture } from './network-fixture.ts'
import { ROWS, type Row, rowsToRun } from './rows.ts'
import { createTable } from './table.ts'

// oxlint-disable-next-line no-process-env -- the duration is a setting of the run
const rows = rowsToRun(process.env)
const table = createTable(rows)

/**
 * A payment, its payout and a held share take three confirmation depths, which are 7 minutes on ethereum, the network
 * with the longest depth. The remaining time is for a busy machine.
 */
const CASE_TIMEOUT_MS = 30 * 60_000

describe('every network, on a local chain with its own id, depth, block time and tokens', function () {
  this.timeout(CASE_TIMEOUT_MS)

  after('the table of networks × cases is complete', () => {
    console.log(`\n${table.print()}\n`)
    expect(table.missing(), 'cells without a result').to.deep.equal([])
  })

  it('is tested, except TRON: eight live networks and four testnets', () => {
    const count = (environment: Row['environment']) =>
      ROWS.filter((row) => row.environment === environment).length
    expect([count('live'), count('test')]).to.deep.equal([8, 4])
    expect(CASES).to.have.length(12)
  })

  for (const row of rows)
    describe(row.name, () => {
      let stage: NetworkFixture
      let beganAt: number
      const running = new Map<NetworkCase, Promise<string | undefined>>()

      before(async () => {
        beganAt = performance.now()
        stage = await createNetworkFixture(row)
      })

      after(async () => {
        await stage?.stop()
        table.noteTime(row, Math.round((performance.now() - beganAt) / 1000))
      })

      /** Starts all cases that can share the chain, so that they wait for the same blocks. */
      const runTogether = () => {
        const together = listCases(row).filter(({ isAlone }) => isAlone !== true)
        for (const one of together.toSorted(
          (a, b) => Number(a.isSlow ?? false) - Number(b.isSlow ?? false),
        )) {
          const outcome = one.run(stage, Promise.allSettled(running.values()))
          // Each test awaits the outcome of its case later.
          outcome.catch(() => undefined)
          running.set(one, outcome)
        }
      }

      for (const one of listCases(row))
        it(one.claim, async () => {
          try {
            if (one.isAlone !== true && running.size === 0) runTogether()
            table.pass(row, one.name, await (running.get(one) ?? one.run(stage, Promise.resolve())))
          } catch (error) {
            table.fail(row, one.name)
            throw error
          } finally {
            stage.pace.resume()
          }
        })
    })
})
