import { expect } from 'chai'
import { encodeFunctionData } from 'viem'
import { paymentSplitFactoryAbi } from '../../../shared/chain/abi/payment-split-factory.ts'
import type { Address } from '../../../shared/domain/address.ts'
import {
  ANY_DISTRIBUTOR,
  DISTRIBUTOR_BYTE_OFFSET,
  type DistributionCall,
  encodeDistribution,
} from '../../../shared/domain/distribution-call.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'

const address = (byte: string) => `0x${byte.repeat(20)}` as Address

const CALL: DistributionCall = {
  split: {
    recipients: [address('a1'), address('a2'), address('a3')],
    allocations: [900_000, 90_991, 9009],
    totalAllocation: 1_000_000,
    distributionIncentive: 1000,
  },
  salt: chargeSalt('ch_1'),
  token: address('cc'),
  distributor: ANY_DISTRIBUTOR,
}

describe('encodeDistribution', () => {
  it('returns the bytes that viem encodes with the contract’s ABI', () => {
    for (const count of [1, 2, 3]) {
      const split = { ...CALL.split, recipients: CALL.split.recipients.slice(0, count) }
      expect(encodeDistribution({ ...CALL, split })).to.equal(encodedByViem({ ...CALL, split }))
    }
  })

  it('has the distributor at DISTRIBUTOR_BYTE_OFFSET, where a sender can insert another address', () => {
    const distributor = address('dd')
    const data = encodeDistribution(CALL)
    const at = 2 + 2 * DISTRIBUTOR_BYTE_OFFSET
    expect(`${data.slice(0, at)}${distributor.slice(2)}${data.slice(at + 40)}`).to.equal(
      encodedByViem({ ...CALL, distributor }),
    )
  })
})

function encodedByViem({ split, salt, token, distributor }: DistributionCall) {
  return encodeFunctionData({
    abi: paymentSplitFactoryAbi,
    functionName: 'createAndDistribute',
    args: [
      {
        ...split,
        allocations: split.allocations.map(BigInt),
        totalAllocation: BigInt(split.totalAllocation),
      },
      salt,
      [token],
      distributor,
    ],
  })
}
