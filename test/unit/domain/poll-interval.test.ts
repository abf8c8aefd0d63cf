import { expect } from 'chai'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { NETWORKS } from '../../../shared/domain/networks.ts'
import { getPollIntervalMs } from '../../../shared/domain/poll-interval.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'

describe('the polling interval of a network', () => {
  it('is proportional to the block time, within its bounds', () => {
    const pace = { blocks: 0.5, leastMs: 250, mostMs: 3000 }
    expect(
      [12_000, 2_000, 750, 250].map((blockTimeMs) => getPollIntervalMs(blockTimeMs, pace)),
    ).to.deep.equal([3000, 1000, 375, 250])
  })

  it('allows at most four polls per second, and at most four per block if it is above the lower bound', () => {
    const { deployments } = mergeNetworks({ registry: REGISTRY, file: {} })
    expect(deployments.length).to.be.at.least(NETWORKS.length)
    for (const { network, blockTimeMs, pollingIntervalMs } of deployments) {
      expect(pollingIntervalMs, network).to.be.at.least(250)
      if (pollingIntervalMs > 250) expect(blockTimeMs / pollingIntervalMs, network).to.be.at.most(4)
      expect(pollingIntervalMs, network).to.be.at.most(Math.max(250, blockTimeMs))
    }
  })
})
