import { expect } from 'chai'
import { numberToHex, parseTransaction } from 'viem'
import { GRACE_SECONDS, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const GWEI = 10n ** 9n
const BOUNDS = { maxFeePerGasWei: 100n * GWEI, maxTipPerGasWei: 3n * GWEI }

describe('a transaction, if a node suggests a tip of 200 gwei,', () => {
  let stage: Stage
  let proxy: RpcProxy

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    proxy.rule((method) =>
      method === 'eth_maxPriorityFeePerGas' ? { result: numberToHex(200n * GWEI) } : 'pass',
    )
    await stage.pay({ amount: 10_000_000n })
    stage.advance(GRACE_SECONDS)
  })

  afterEach(() => proxy.stop())

  it('pays at most the maximum tip, even if the total fee ceiling is far higher', async () => {
    expect(await tipOf([proxy.url])).to.equal(BOUNDS.maxTipPerGasWei)
  })

  it('pays the tip that another node suggests, even if the lying node is queried first', async () => {
    const honest = await stage.node.estimateMaxPriorityFeePerGas()
    expect(honest < BOUNDS.maxTipPerGasWei).to.equal(true)
    expect(await tipOf([proxy.url, stage.rpcUrl])).to.equal(honest)
  })

  it('pays at most twice the maximum tip, even if it is not mined for two hours', async () => {
    const { turn, relayer } = stage.cast({ rpcUrls: [proxy.url], relayerTerms: { gasBounds: BOUNDS } })
    await turn()
    for (let half = 0; half < 40; half += 1) {
      stage.advance(180)
      await relayer.turn()
    }
    const tips = (await stage.relayerTransactions()).map(({ rawTransaction }) => tipIn(rawTransaction))
    expect(tips.length).to.be.above(1)
    expect(tips.every((tip) => tip <= 2n * BOUNDS.maxTipPerGasWei)).to.equal(true)
  }).timeout(240_000)

  async function tipOf(rpcUrls: readonly string[]): Promise<bigint> {
    await stage.cast({ rpcUrls, relayerTerms: { gasBounds: BOUNDS } }).turn()
    const [transaction] = await stage.relayerTransactions()
    return tipIn(transaction?.rawTransaction ?? '0x')
  }
})

function tipIn(rawTransaction: `0x${string}`): bigint {
  return parseTransaction(rawTransaction).maxPriorityFeePerGas ?? 0n
}
