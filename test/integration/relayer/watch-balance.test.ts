import { expect } from 'chai'
import { createPublicClient, http } from 'viem'
import { foundry } from 'viem/chains'

import { createPayoutMetrics } from '../../../indexer/relayer/payout-metrics.ts'
import { createBalanceWatch } from '../../../indexer/relayer/watch-balance.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { DATA_FEES } from '../../../shared/domain/data-fees.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { chainAt } from '../../support/chain-at.ts'
import { addressOf, GAS_BOUNDS, startChain, type TestChain } from '../../support/payout-fixture.ts'
import { recordingLog } from '../../support/recording-log.ts'

const RELAYER = addressOf(ACCOUNTS.relayer.address)
const ETHER = 10n ** 18n

describe('the watch on the relayer’s gas balance', () => {
  let chain: TestChain

  before(async function () {
    this.timeout(240_000)
    chain = await startChain()
  })

  after(() => chain.stop())

  it('publishes the balance, and logs once when it is low and once when it is sufficient again', async () => {
    const registry = createMetrics({ service: 'test' })
    const { log, lines } = recordingLog()
    const client = createPublicClient({
      chain: foundry,
      transport: http(chain.rpcUrl),
      cacheTime: 0,
    }) as ChainClient
    const metrics = createPayoutMetrics(registry)(foundry.id)
    const { turn } = createBalanceWatch({
      nodes: nodesOf(client),
      relayer: RELAYER,
      duty: 'payouts',
      gasBounds: GAS_BOUNDS,
      dataFee: DATA_FEES.base,
      log,
      metrics: { ...metrics, setCost: metrics.setPayoutCost },
    })
    for (const balance of [5n * ETHER, ETHER / 10_000n, ETHER / 10_000n, 5n * ETHER, 5n * ETHER]) {
      await chain.node.setBalance({ address: RELAYER, value: balance })
      await turn()
    }
    expect(lines.map(({ msg }) => msg)).to.deep.equal([
      'The relayer is running out of gas money',
      'The relayer has gas money again',
    ])
    expect(lines[0]).to.include({ balance_wei: String(ETHER / 10_000n), relayer: RELAYER })
    expect(await registry.metrics()).to.match(/relayer_balance_coins\{.*chain_id="31337".*\} 5\n/)
  })

  it('compares the balance of the account for authorizations with the gas of a payment by signature', async () => {
    const { log, lines } = recordingLog()
    const client = createPublicClient({
      chain: foundry,
      transport: http(chain.rpcUrl),
      cacheTime: 0,
    }) as ChainClient
    const costs: number[] = []
    const watch = (duty: 'payouts' | 'authorizations') =>
      createBalanceWatch({
        ...{ nodes: nodesOf(client), relayer: RELAYER, duty, log },
        ...{ gasBounds: GAS_BOUNDS, dataFee: { model: 'none', maxWei: 0n } },
        metrics: { setBalance: () => undefined, setCost: (coins) => costs.push(coins) },
      }).turn()
    await chain.node.setBalance({ address: RELAYER, value: 1n })
    await watch('payouts')
    await watch('authorizations')
    const [payout = 0, payment = 0] = costs
    expect(payment / payout).to.be.closeTo(200_000 / 220_000, 1e-9)
    expect(lines[1]).to.include({
      ...{ msg: 'The account for authorizations is running out of gas money', payments_left: '0' },
    })
  })

  function nodesOf(client: ChainClient) {
    return chainAt([chain.rpcUrl], { chainId: foundry.id, connect: () => client })
  }
})
