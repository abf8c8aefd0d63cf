import { expect } from 'chai'
import { registerQuorums } from '../../../indexer/chain-feed/register-quorums.ts'
import { createMetrics } from '../../../shared/runtime/metrics.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { recordingLog } from '../../support/recording-log.ts'

const NETWORKS = [
  { network: 'base', environment: 'live', ...nodesAt(['https://one.example/key', 'https://two.test'], 2) },
  {
    network: 'bnb',
    environment: 'live',
    ...nodesAt(['https://one.example/key', 'https://b.one.example'], 2),
  },
  { network: 'base', environment: 'test', ...nodesAt(['https://one.example/key'], 1) },
] as const

describe('registerQuorums', () => {
  it('exports the quorum of each network as a metric', async () => {
    const registry = createMetrics({ service: 'test' })
    registerQuorums({ log: recordingLog().log, registry }, NETWORKS)
    const metric = await registry.getSingleMetric('network_quorum')?.get()
    expect(metric?.values.map(({ value, labels }) => ({ ...labels, value }))).to.deep.equal([
      { network: 'base', environment: 'live', value: 2 },
      { network: 'bnb', environment: 'live', value: 2 },
      { network: 'base', environment: 'test', value: 1 },
    ])
  })

  it('logs a quorum of 1 and a quorum above the number of operators, naming operators instead of URLs', () => {
    const { log, lines } = recordingLog()
    registerQuorums({ log, registry: createMetrics({ service: 'test' }) }, NETWORKS)
    expect(
      lines.map(({ msg, network, environment, operators }) => ({ msg, network, environment, operators })),
    ).to.deep.equal([
      {
        msg: 'Network is disabled: its nodes have fewer operators than its quorum',
        ...{ network: 'bnb', environment: 'live', operators: ['one.example'] },
      },
      {
        msg: 'Network trusts a single operator: its quorum is 1',
        ...{ network: 'base', environment: 'test', operators: ['one.example'] },
      },
    ])
    expect(JSON.stringify(lines)).not.to.include('key')
  })
})
