import { expect } from 'chai'
import { fitToLimits } from '../../../indexer/chain-feed/fit-to-limits.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { configureNodes } from '../../../shared/domain/node-config.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'
import { recordingLog } from '../../support/recording-log.ts'

describe('fitToLimits', () => {
  function fit(limits: { readonly requestsPerSecond?: number; readonly requestsPerDay?: number }) {
    const { deployments } = mergeNetworks({ registry: REGISTRY, file: {}, selection: 'tron:live' })
    const [deployment] = deployments
    if (deployment === undefined) throw new Error('tron has no live deployment')
    const nodes = configureNodes(
      ['https://a.example/key', 'https://b.example'].map((url) => ({ url, ...limits })),
    )
    const { log, lines } = recordingLog()
    return { deployment, fitted: fitToLimits(log, { ...deployment, nodes }, 0.8), lines }
  }

  it('keeps the polling interval and logs no warning if the nodes have no limits', () => {
    const { deployment, fitted, lines } = fit({})
    expect(fitted.pollingIntervalMs).to.equal(deployment.pollingIntervalMs)
    expect(lines).to.deep.equal([])
  })

  it('keeps the polling interval and logs no warning if the limits exceed the need', () => {
    const { deployment, fitted, lines } = fit({ requestsPerSecond: 15, requestsPerDay: 1_000_000 })
    expect(fitted.pollingIntervalMs).to.equal(deployment.pollingIntervalMs)
    expect(lines).to.deep.equal([])
  })

  it('polls once per block if the limits are below the need, and warns if they are still too low', () => {
    const { fitted, lines } = fit({ requestsPerDay: 20_000 })
    expect(fitted.pollingIntervalMs).to.equal(3_000)
    expect(
      lines.map(({ msg, network, allowed_per_second: allowed }) => ({ msg, network, allowed })),
    ).to.deep.equal([
      {
        msg: 'Limits of the nodes of a network are below its need: payments are seen and confirmed late',
        ...{ network: 'tron', allowed: 0.37 },
      },
    ])
    expect(JSON.stringify(lines)).not.to.include('key')
  })
})
