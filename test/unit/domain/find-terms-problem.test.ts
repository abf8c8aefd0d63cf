import { expect } from 'chai'

import type { Address } from '../../../shared/domain/address.ts'
import { allocate } from '../../../shared/domain/allocation.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { predictSafeAddress } from '../../../shared/domain/escrow-address.ts'
import {
  findTermsProblem,
  type PayeeFacts,
  type ServiceTerms,
} from '../../../shared/domain/find-terms-problem.ts'
import { newId } from '../../../shared/domain/ids.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import { type Percent, parsePercent, percent } from '../../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'

const MERCHANT = `0x${'a1'.repeat(20)}` as Address
const TREASURY = `0x${'77'.repeat(20)}` as Address
const RELEASER = `0x${'b2'.repeat(20)}` as Address
const OTHER_FACTORY = `0x${'fa'.repeat(20)}` as Address
/** 0.1 %, 1 %, 2 % and 3 %. */
const [TENTH, ONE, TWO, THREE] = ['0.1', '1', '2', '3'].map(percentOf) as [Percent, Percent, Percent, Percent]
const SERVICE: ServiceTerms = {
  ...{ family: 'evm', environment: 'live', factory: SPLIT_FACTORY, treasury: TREASURY },
  ...{ feePercent: percent(0n), escrowFeePercent: percent(0n), distributorFeePercent: percent(0n) },
}
const EVIDENCE = { payoutAddress: MERCHANT, ownFees: [], ownEscrowFees: [], unregistered: 0 }

describe('findTermsProblem', () => {
  it('accepts terms that match a configuration of the service', () => {
    expect(findTermsProblem(buildCharge(), EVIDENCE, [SERVICE])).to.equal(null)
  })

  for (const elsewhere of [{ environment: 'test' }, { family: 'tron' }] as const) {
    it(`rejects terms that match only a configuration with another ${Object.keys(elsewhere)[0]}`, () => {
      expect(findTermsProblem(buildCharge(), EVIDENCE, [{ ...SERVICE, ...elsewhere }])).to.equal(
        'its shares match no configuration of the service',
      )
    })
  }

  it('rejects a charge that pays unregistered recipients', () => {
    expect(findTermsProblem(buildCharge(), { ...EVIDENCE, unregistered: 2 }, [SERVICE])).to.equal(
      '2 of its recipients are not registered',
    )
  })

  for (const [title, { service, evidence, isBelieved }] of Object.entries({
    'rejects a fee that is in neither the configuration nor the organization’s custom fees': {
      ...{ service: { feePercent: TWO }, evidence: { ownFees: [THREE] }, isBelieved: false },
    },
    'accepts the custom fee of the charge’s organization': {
      ...{ service: { feePercent: TWO }, evidence: { ownFees: [ONE] }, isBelieved: true },
    },
    'rejects shares with the factory of another configuration': {
      ...{ service: { factory: OTHER_FACTORY }, evidence: {}, isBelieved: false },
    },
    'rejects shares with the treasury of another configuration': {
      ...{ service: { treasury: OTHER_FACTORY }, evidence: {}, isBelieved: false },
    },
    'rejects shares with the incentive of another configuration': {
      ...{ service: { distributorFeePercent: percent(0n) }, evidence: {}, isBelieved: false },
    },
  } satisfies Record<string, Belief>))
    it(title, () => {
      const charge = buildCharge({ ...SERVICE, feePercent: ONE, distributorFeePercent: TENTH })
      const believed = { ...SERVICE, feePercent: ONE, distributorFeePercent: TENTH, ...service }
      const problem = findTermsProblem(charge, { ...EVIDENCE, ...evidence }, [believed])
      expect(problem).to.equal(isBelieved ? null : 'its shares match no configuration of the service')
    })

  for (const [title, { surcharge, ownEscrowFees, isBelieved }] of Object.entries({
    'accepts an escrow surcharge of the configuration': {
      ...{ surcharge: ONE, ownEscrowFees: [], isBelieved: true },
    },
    'accepts a custom escrow surcharge of the charge’s organization': {
      ...{ surcharge: TWO, ownEscrowFees: [ONE], isBelieved: true },
    },
    'rejects any other escrow surcharge': {
      ...{ surcharge: TWO, ownEscrowFees: [THREE], isBelieved: false },
    },
  }))
    it(title, () => {
      const charge = buildEscrowCharge({ feePercent: ONE, escrowFeePercent: ONE })
      const believed = { ...SERVICE, feePercent: ONE, escrowFeePercent: surcharge }
      const problem = findTermsProblem(charge, { ...EVIDENCE, ownEscrowFees }, [believed])
      expect(problem).to.equal(isBelieved ? null : 'its shares match no configuration of the service')
    })

  it('rejects an escrow surcharge on a charge without an escrow', () => {
    const charge = { ...buildCharge({ ...SERVICE, feePercent: ONE }), escrowFeePercent: ONE }
    const believed = { ...SERVICE, escrowFeePercent: ONE }
    expect(findTermsProblem(charge, EVIDENCE, [believed])).to.equal(
      'its shares match no configuration of the service',
    )
  })

  it('rejects a charge that accepts a pair whose family differs from the address’s family', () => {
    const onTron = { token: 'USDT', network: 'tron' } as const
    const charge = { ...buildCharge(), acceptedPayments: [...buildCharge().acceptedPayments, onTron] }
    expect(findTermsProblem(charge, EVIDENCE, [SERVICE])).to.equal(
      'it accepts USDT/tron, whose family differs from its address’s family',
    )
  })
})

/** Changes of the configuration and the organization's fees, and whether the charge is still accepted. */
type Belief = {
  readonly service: Partial<ServiceTerms>
  readonly evidence: Partial<PayeeFacts>
  readonly isBelieved: boolean
}

function buildEscrowCharge({
  feePercent,
  escrowFeePercent,
}: Pick<ServiceTerms, 'feePercent' | 'escrowFeePercent'>) {
  const charge = buildCharge({ ...SERVICE, feePercent: percent(feePercent + escrowFeePercent) })
  const address = predictSafeAddress({ releaser: RELEASER, saltNonce: chargeSalt(charge.id) })
  return {
    ...charge,
    address,
    escrowFeePercent,
    escrow: { releaserAddress: RELEASER } as ChargeRecord['escrow'],
  }
}

function buildCharge(service: ServiceTerms = SERVICE) {
  const id = newId('ch', 0)
  const allocation = allocate({ ...service, merchant: MERCHANT, splitRecipients: [] })
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
    feePercent: service.feePercent,
    ...{ escrowFeePercent: null, escrow: null },
  }
}

function percentOf(text: string): Percent {
  return parsePercent(text, { maxFractionDigits: 4 }) ?? percent(0n)
}
