import { encodeFunctionData, type Hex } from 'viem'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { ANY_DISTRIBUTOR, encodeDistribution } from '../../../shared/domain/distribution-call.ts'
import type { ExitCharge } from './exit-charge.ts'
import type { KnownToken } from './known-chains.ts'
import type { Holding } from './survey-chain.ts'

/** A call that pays recipients of a charge. Anyone may send it; only the recipients receive money. */
export type Payment = {
  readonly charge: ExitCharge
  readonly token: KnownToken
  /** Atomic units. */
  readonly amount: bigint
  /** The recipient of a held share; `null` for a distribution to all recipients. */
  readonly recipient: Address | null
  readonly to: Address
  readonly data: Hex
}

/**
 * Lists the calls that pay out everything except escrows: a distribution of each distributable amount, and a release of
 * each held share. The calls name no distributor, so the recipients share the incentive.
 */
export function listPayments(holdings: readonly Holding[]): readonly Payment[] {
  return holdings.flatMap(({ charge, token, distributable, held }) => {
    const releases = held.map((share) => ({ charge, token, ...share, ...buildRelease(charge, token, share) }))
    if (distributable === 0n) return releases
    const { factory: to, split, salt } = charge
    const data = encodeDistribution({ split, salt, token: token.address, distributor: ANY_DISTRIBUTOR })
    return [{ charge, token, amount: distributable, recipient: null, to, data }, ...releases]
  })
}

function buildRelease({ splitAddress }: ExitCharge, token: KnownToken, share: Holding['held'][number]) {
  const args = [token.address, share.recipient] as const
  return {
    to: splitAddress,
    data: encodeFunctionData({ abi: paymentSplitAbi, functionName: 'release', args }),
  }
}

/** Returns a key of the money that a payment moves, unique on one chain. */
export function getPaymentKey({ charge, token, recipient }: Payment): string {
  return `${charge.splitAddress} ${token.address} ${recipient ?? ''}`
}
