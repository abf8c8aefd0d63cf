import type { Hex } from 'viem'
import { type Stage, setStage, startChain, type TestChain } from './payout-fixture.ts'

/**
 * Gives each test of the calling suite a fresh fixture. The tests share one chain, which mines on demand and is reset
 * after each test.
 *
 * @param enter - called before each test, once the fixture is ready
 */
export function stageForEach(enter: (stage: Stage, chain: TestChain) => unknown): void {
  let chain: TestChain
  let stage: Stage
  let snapshot: Hex

  before(async function () {
    this.timeout(240_000)
    chain = await startChain()
    await chain.node.setAutomine(false)
  })

  after(() => chain.stop())

  beforeEach(async () => {
    snapshot = await chain.node.snapshot()
    stage = await setStage(chain)
    await enter(stage, chain)
  })

  afterEach(async () => {
    await stage.close()
    await chain.reset(snapshot)
  })
}
