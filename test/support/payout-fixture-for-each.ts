import type { Hex } from 'viem'
import { type Stage, setStage, startChain, type TestChain } from './payout-fixture.ts'

/**
 * Gives each test of the suite that calls it a fresh stage, on one chain that mines when it is told to and forgets
 * between tests what they did.
 *
 * @param enter - called before each test, once the stage is set
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
