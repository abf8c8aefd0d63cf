import type { CheckedCharge } from '../../api/client/check-address.ts'
import { type Address, checksum, parseEvmAddress } from '../../shared/domain/address.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import { formatTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { predictTronSplit } from '../../shared/domain/chain-families/tron/predict-split.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../shared/domain/escrow-address.ts'
import { newId } from '../../shared/domain/ids.ts'
import { parsePercent } from '../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'

export const MERCHANT = addressOfByte('a1')
export const TREASURY = addressOfByte('77')
export const PARTNER = addressOfByte('b2')
export const FACTORY_ON_TRON = addressOfByte('fa')

/** Builds a charge with these percentages, whose address follows from its terms. */
export function buildCharge({
  feePercent = 1,
  splits = [],
}: {
  feePercent?: number
  splits?: (number | string)[]
}): CheckedCharge {
  const allocated = allocate({
    feePercent: percent(feePercent),
    distributorFeePercent: percent(0.1),
    merchant: MERCHANT,
    treasury: TREASURY,
    splitRecipients: splits.map((share) => ({ address: PARTNER, percent: percent(share) })),
  })
  if (!allocated.ok) throw new Error(allocated.code)
  const { split } = allocated
  const id = newId('ch', Date.now())
  const salt = chargeSalt(id)
  const splitAddress = checksum(
    predictSplitAddress({ factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION, split, salt }),
  )
  return {
    id,
    address: splitAddress,
    feePercent,
    splitRecipients: splits.map((share) => ({
      address: checksum(PARTNER),
      percent: share,
      label: 'partner',
    })),
    escrow: null,
    addressTerms: {
      factory: checksum(SPLIT_FACTORY),
      salt,
      recipients: split.recipients.map((recipient, index) => ({
        address: checksum(recipient),
        allocation: split.allocations[index] ?? 0,
      })),
      totalAllocation: split.totalAllocation,
      distributionIncentive: split.distributionIncentive,
      splitAddress,
      safe: null,
    },
  }
}

/** Builds a charge on TRON with the default terms of `buildCharge`. */
export function buildTronCharge(): CheckedCharge {
  const charge = buildCharge({})
  const terms = charge.addressTerms
  const split = {
    recipients: [MERCHANT, TREASURY],
    allocations: terms.recipients.map(({ allocation }) => allocation),
    totalAllocation: terms.totalAllocation,
    distributionIncentive: terms.distributionIncentive,
  }
  const place = { factory: FACTORY_ON_TRON, split, salt: chargeSalt(charge.id) }
  const splitAddress = formatTronAddress(predictTronSplit(place))
  return {
    ...withTerms(charge, {
      factory: formatTronAddress(FACTORY_ON_TRON),
      recipients: split.recipients.map((recipient, index) => ({
        address: formatTronAddress(recipient),
        allocation: split.allocations[index] ?? 0,
      })),
      splitAddress,
    }),
    address: splitAddress,
  }
}

/** Returns the charge as an escrow charge whose releaser is `PARTNER`. */
export function withEscrow(charge: CheckedCharge): CheckedCharge {
  const safe = {
    owner: checksum(PARTNER),
    threshold: 1,
    singleton: checksum(SAFE_CONTRACTS.singleton),
    proxyFactory: checksum(SAFE_CONTRACTS.proxyFactory),
    fallbackHandler: checksum(SAFE_CONTRACTS.fallbackHandler),
  }
  return {
    ...withTerms(charge, { safe }),
    address: checksum(predictSafeAddress({ releaser: PARTNER, saltNonce: chargeSalt(charge.id) })),
    escrow: {
      ...{ releaserAddress: checksum(PARTNER), releasedAt: null, refundedAt: null },
      pendingAction: null,
    },
  }
}

/** Returns the charge with changed terms, but does not recompute the addresses that follow from them. */
export function withTerms(
  charge: CheckedCharge,
  terms: Partial<CheckedCharge['addressTerms']>,
): CheckedCharge {
  return { ...charge, addressTerms: { ...charge.addressTerms, ...terms } }
}

function percent(value: number | string) {
  const parsed = parsePercent(String(value), { maxFractionDigits: 20 })
  if (parsed === null) throw new Error(`${value} is not a percentage`)
  return parsed
}

/** Returns the address of 20 equal bytes. */
export function addressOfByte(byte: string): Address {
  const parsed = parseEvmAddress(`0x${byte.repeat(20)}`)
  if (parsed === null) throw new Error(`${byte} does not make an address`)
  return parsed
}
