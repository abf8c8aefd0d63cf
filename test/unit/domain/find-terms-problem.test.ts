import { expect } from 'chai'

import type { Address } from '../../../shared/domain/address.ts'
import { allocate } from '../../../shared/domain/allocation.ts'
import { findTermsProblem, type ServiceTerms } from '../../../shared/domain/find-terms-problem.ts'
import { newId } from '../../../shared/domain/ids.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import { percent } from '../../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'

const MERCHANT = `0x${'a1'.repeat(20)}` as Address
const TREASURY = `0x${'77'.repeat(20)}` as Address
const SERVICE: ServiceTerms = {
  ...{ family: 'evm', environment: 'live', factory: SPLIT_FACTORY, treasury: TREASURY },
  ...{ feePercent: percent(0n), escrowFeePercent: percent(0n), distributorFeePercent: percent(0n) },
}
const EVIDENCE = { payoutAddress: MERCHANT, ownFees: [], ownEscrowFees: [], unregistered: 0 }

describe('findTermsProblem', () => {
  it('believes terms that follow from a configuration of the service', () => {
    expect(findTermsProblem(buildCharge(), EVIDENCE, [SERVICE])).to.equal(null)
  })

  for (const elsewhere of [{ environment: 'test' }, { family: 'tron' }] as const) {
    it(`believes no terms of another ${Object.keys(elsewhere)[0]}, where its factory is nobody’s`, () => {
      expect(findTermsProblem(buildCharge(), EVIDENCE, [{ ...SERVICE, ...elsewhere }])).to.equal(
        'its shares follow from no configuration of the service',
      )
    })
  }

  it('believes no charge that accepts a pair of another family than its address is of', () => {
    const onTron = { token: 'USDT', network: 'tron' } as const
    const charge = { ...buildCharge(), acceptedPayments: [...buildCharge().acceptedPayments, onTron] }
    expect(findTermsProblem(charge, EVIDENCE, [SERVICE])).to.equal(
      'it accepts USDT/tron, which is of another family than its address',
    )
  })
})

function buildCharge() {
  const id = newId('ch', 0)
  const allocation = allocate({ ...SERVICE, merchant: MERCHANT, splitRecipients: [] })
  if (!allocation.ok) throw new Error(allocation.code)
  const { split } = allocation
  const splitAddress = predictSplitAddress({
    ...{ factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION },
    ...{ split, salt: chargeSalt(id) },
  })
  return {
    ...({ id, environment: 'live', family: 'evm', address: splitAddress, splitAddress } as const),
    splitTerms: { ...split, factory: SPLIT_FACTORY },
    acceptedPayments: [{ token: 'USDC', network: 'base' }] as readonly Pair[],
    splitRecipients: [],
    feePercent: percent(0n),
    ...{ escrowFeePercent: null, escrow: null },
  }
}
