import { expect } from 'chai'
import { encodeFunctionData } from 'viem'

import { findTronSigningProblem } from '../../../indexer/relayer/tron/find-tron-signing-problem.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import {
  encodeTronCall,
  type TronCall,
  toReferenceBlock,
} from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import { chargeSalt } from '../../../shared/domain/split-address.ts'
import { MERCHANT, TREASURY } from '../../support/factories.ts'

const RELAYER = `0x${'5e'.repeat(20)}` as Address
const STRANGER = `0x${'66'.repeat(20)}` as Address
const TOKEN = `0x${'c0'.repeat(20)}` as Address
const FACTORY = `0x${'fa'.repeat(20)}` as Address
const SPLIT = {
  ...{ recipients: [MERCHANT, TREASURY], allocations: [990_991, 9_009] },
  ...{ totalAllocation: 1_000_000, distributionIncentive: 1_000 },
}
const SALT = chargeSalt('ch_one')
const splitAddress = predictTronSplit({ factory: FACTORY, split: SPLIT, salt: SALT })

const PERMITS = {
  ...({ duty: 'payouts' } as const),
  ...{ chainId: 728126428, relayer: RELAYER, tokens: [TOKEN], maxFeeLimitSun: 100_000_000n },
  charges: [{ address: splitAddress, splitAddress, recipients: SPLIT.recipients, isEscrow: false }],
}

function bytesOf(changes: Partial<TronCall>): Hex {
  return encodeTronCall({
    ...{ owner: RELAYER, to: FACTORY, data: distribution(), valueSun: 0n },
    ...toReferenceBlock({ number: 1, id: `0x${'0'.repeat(64)}` }),
    ...{ expirationMs: 2n, timestampMs: 1n, feeLimitSun: 100_000_000n },
    ...changes,
  })
}

function distribution(changes: { token?: Address; distributor?: Address; salt?: Hex } = {}): Hex {
  return encodeDistribution({ split: SPLIT, salt: SALT, token: TOKEN, distributor: RELAYER, ...changes })
}

function release(token = TOKEN): Hex {
  const args = [token, MERCHANT] as const
  return encodeFunctionData({ abi: paymentSplitAbi, functionName: 'release', args })
}

describe('the relayer’s key on TRON', () => {
  it('signs distributions and releases of splits whose terms were verified', () => {
    const allowed = [
      {},
      { data: distribution({ distributor: ANY_DISTRIBUTOR }) },
      { data: distribution({ distributor: MERCHANT }) },
      { to: splitAddress, data: release() },
    ]
    for (const changes of allowed) expect(findTronSigningProblem(bytesOf(changes), PERMITS)).to.equal(null)
  })

  const REFUSED: Readonly<Record<string, Partial<TronCall>>> = {
    'for another owner': { owner: STRANGER },
    'that sends TRX': { valueSun: 1n },
    'with a fee limit above the maximum': { feeLimitSun: 100_000_001n },
    'to another factory': { to: STRANGER },
    'for another charge': { data: distribution({ salt: chargeSalt('ch_two') }) },
    'that distributes an unknown token': { data: distribution({ token: STRANGER }) },
    'that pays the incentive to a stranger': { data: distribution({ distributor: STRANGER }) },
    'that releases from a stranger’s split': { to: STRANGER, data: release() },
    'that releases another token': { to: splitAddress, data: release(STRANGER) },
    'that transfers a token': { to: TOKEN, data: '0xa9059cbb' },
    'with extra bytes': { data: `${distribution()}00` },
  }
  for (const [title, changes] of Object.entries(REFUSED)) {
    it(`does not sign a call ${title}`, () => {
      expect(findTronSigningProblem(bytesOf(changes), PERMITS)).to.be.a('string')
    })
  }

  it('signs only contract calls', () => {
    expect(findTronSigningProblem('0x0a02', PERMITS)).to.equal('the bytes are not a contract call')
  })
})
