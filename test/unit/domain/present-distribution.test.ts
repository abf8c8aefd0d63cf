import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { atomic } from '../../../shared/domain/money.ts'
import {
  type PendingDistribution,
  presentDistribution,
  presentDistributionClaimed,
} from '../../../shared/domain/present-distribution.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'

const DISTRIBUTION: PendingDistribution = {
  chargeId: 'ch_1',
  family: 'evm',
  network: 'bnb',
  token: 'USDT',
  chainId: 56,
  tokenAddress: '0x55d398326f99059ff775485246999027b3197955' as Address,
  decimals: 18,
  splitAddress: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' as Address,
  splitTerms: {
    factory: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359' as Address,
    recipients: [
      '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb' as Address,
      '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb' as Address,
    ],
    allocations: [990_991, 9009],
    totalAllocation: 1_000_000,
    distributionIncentive: 1000,
  },
  isDeployed: false,
  owedAtomic: atomic(12_345_678_901_234_567_890n),
  availableSince: new Date('2026-11-20T12:00:00.000Z'),
  graceEndsAt: new Date('2026-11-20T12:05:00.000Z'),
}

describe('presentDistribution', () => {
  it('shows TRON addresses in TRON notation, and a fee limit that suffices if a share is held', () => {
    const { call, splitAddress } = presentDistribution({ ...DISTRIBUTION, family: 'tron', network: 'tron' })
    expect(splitAddress).to.equal(formatTronAddress(DISTRIBUTION.splitAddress))
    expect(call).to.include({
      to: formatTronAddress(DISTRIBUTION.splitTerms.factory),
      distributorOffset: 112,
    })
    expect(call.data).to.match(/^0x/)
    // Energy at 100 sun: 250,000 for the split, 170,000 for each of two recipients, and a reserve of 1,100,000.
    expect(call.feeLimit).to.equal('169000000')
  })

  it('shows the data that a keeper needs, with shares in percent and checksummed addresses', () => {
    expect(JSON.parse(JSON.stringify(presentDistribution(DISTRIBUTION)))).to.deep.equal({
      splitAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      network: 'bnb',
      token: 'USDT',
      recipients: [
        { address: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB', percentAllocation: 99.0991 },
        { address: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', percentAllocation: 0.9009 },
      ],
      distributorFeePercent: 0.1,
      estimatedRewardAmount: 0.012345678901234567,
      availableSince: '2026-11-20T12:00:00.000Z',
      graceEndsAt: '2026-11-20T12:05:00.000Z',
      chainId: 56,
      tokenAddress: '0x55d398326f99059fF775485246999027B3197955',
      factoryAddress: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      salt: chargeSalt('ch_1'),
      deployed: false,
      call: {
        to: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
        data: encodeDistribution({
          split: DISTRIBUTION.splitTerms,
          salt: chargeSalt('ch_1'),
          token: DISTRIBUTION.tokenAddress,
          distributor: ANY_DISTRIBUTOR,
        }),
        distributorOffset: 112,
      },
    })
  })
})

describe('presentDistributionClaimed', () => {
  it('names the pair, because each pair of a split is distributed separately', () => {
    expect(presentDistributionClaimed(DISTRIBUTION)).to.deep.equal({
      type: 'distribution.claimed',
      splitAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      network: 'bnb',
      token: 'USDT',
    })
  })
})
