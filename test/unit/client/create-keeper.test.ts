import { expect } from 'chai'
import { createKeeper, type KeeperChain, type Offer } from '../../../api/client/create-keeper.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../../shared/domain/chain-families/chain-families.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { presentDistribution } from '../../../shared/domain/present-distribution.ts'
import { chargeSalt, SPLIT_FACTORY } from '../../../shared/domain/split-address.ts'
import { recordingLog } from '../../support/recording-log.ts'

const USDC = `0x${'c0'.repeat(20)}` as Address
const SPLIT = {
  recipients: [`0x${'aa'.repeat(20)}` as Address, `0x${'bb'.repeat(20)}` as Address],
  ...{ allocations: [990_991, 9_009], totalAllocation: 1_000_000, distributionIncentive: 1_000 },
}
const CHAIN = {
  ...({ network: 'base', family: 'evm', chainId: 8453, factory: SPLIT_FACTORY } as const),
  tokens: [{ token: 'USDC', address: USDC, decimals: 6 }],
} as const
const SENT = { txHash: `0x${'01'.repeat(32)}` as Hex, isSuccess: true }

describe('a keeper', () => {
  it('examines every distribution, even if one round takes longer than the interval between two examinations', async () => {
    let nowMs = 0
    const examined: string[] = []
    const keeper = createKeeper({
      ...dependencies(async ({ salt }) => {
        examined.push(salt)
        nowMs += 1_000
        return offer({ rewardUsd: 0 })
      }),
      nowMs: () => nowMs,
    })
    const salts = Array.from({ length: 100 }, (_, index) => {
      keeper.hear(available(`ch_${index}`))
      return chargeSalt(`ch_${index}`)
    })
    for (let turns = 0; turns < 200; turns += 1) expect(await keeper.turn()).to.equal('more')
    expect(examined).to.deep.equal([...salts, ...salts])
  })

  it('keeps a distribution that is offered again, for later money, while it is executed', async () => {
    let executed = 0
    const keeper = createKeeper(
      dependencies(async () =>
        offer({
          rewardUsd: 2,
          send: async () => {
            executed += 1
            if (executed === 1) keeper.hear(available('ch_one'))
            return SENT
          },
        }),
      ),
    )
    keeper.hear(available('ch_one'))
    while ((await keeper.turn()) === 'more');
    expect(executed).to.equal(2)
  })
})

function dependencies(prepare: KeeperChain['prepare']) {
  const chains = new Map<string, KeeperChain>([['base', { ...CHAIN, prepare }]])
  return { chains, margin: 1.2, log: recordingLog().log }
}

function offer({ rewardUsd, send = async () => SENT }: { rewardUsd: number; send?: Offer['send'] }): Offer {
  return { weight: { rewardUsd, costUsd: 1 }, gas: 1n, isBounded: true, send }
}

/** Returns the feed's offer of the distribution of a charge. */
function available(chargeId: string) {
  const place = { factory: SPLIT_FACTORY, split: SPLIT, salt: chargeSalt(chargeId) }
  const splitAddress = CHAIN_FAMILIES.evm.predictSplit(place)
  if (splitAddress === null) throw new Error('the factory is unknown')
  const distribution = presentDistribution({
    ...{ chargeId, splitAddress, family: 'evm', network: 'base', token: 'USDC', chainId: 8453 },
    ...{ tokenAddress: USDC, decimals: 6, splitTerms: { ...SPLIT, factory: SPLIT_FACTORY } },
    ...{ isDeployed: false, owedAtomic: atomic(1n), availableSince: new Date(0), graceEndsAt: new Date(0) },
  })
  return { type: 'distribution.available', distribution } as const
}
