import { expect } from 'chai'
import { createAgreedBalances } from '../../../indexer/escrow/agreed-balances.ts'
import { listComparedBalances } from '../../../indexer/reconciliation/compare-balances.ts'
import { findCheckedCharge } from '../../../shared/db/requests/check-requests.ts'
import { chainAt } from '../../support/chain-at.ts'
import { CONFIRMATIONS, type Stage, watchedDeployment } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

describe('the balances that are compared before an escrow ends', () => {
  let stage: Stage
  let proxy: RpcProxy

  stageForEach(async (fresh) => {
    stage = fresh
    proxy = await startRpcProxy(stage.rpcUrl)
    await stage.mine(CONFIRMATIONS)
  })

  afterEach(() => proxy.stop())

  it('are agreed if two nodes return equal balances', async () => {
    expect(await countAgreed([stage.rpcUrl, proxy.url])).to.be.above(0)
  })

  for (const [fate, answer] of [
    ['returns an error', 'error'],
    ['returns other balances', { result: hundreds() }],
  ] as const)
    it(`are not agreed while the second of two nodes ${fate}, unless a third node agrees`, async () => {
      proxy.rule((method) => (method === 'eth_call' ? answer : 'pass'))
      expect(await countAgreed([stage.rpcUrl, proxy.url])).to.equal(0)
      const sameNode = stage.rpcUrl.replace('127.0.0.1', 'localhost')
      expect(await countAgreed([stage.rpcUrl, proxy.url, sameNode])).to.be.above(0)
    })

  async function countAgreed(rpcUrls: readonly string[]): Promise<number> {
    const { chargeId } = await stage.openCharge({ isEscrow: true })
    const charge = await findCheckedCharge(stage.daemonSql, chargeId)
    const deployment = watchedDeployment(stage)
    const chain = chainAt(rpcUrls, deployment)
    const agreed = await createAgreedBalances({ ...deployment, chain })(
      listComparedBalances(charge === null ? [] : [charge], deployment),
    )
    return agreed?.found.length ?? 0
  }
})

/** Returns a response of Multicall3 with two balances of 100. */
function hundreds(): string {
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const one = [1, 64, 32, 100]
  return `0x${[32, 2, 64, 192, ...one, ...one].map(word).join('')}`
}
