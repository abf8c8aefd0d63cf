import type { ChainFamilyName } from './address.ts'
import { presentAddress } from './chain-families/chain-families.ts'
import { formatDecimal } from './decimal.ts'
import { type AtomicUnits, type AttoDollars, attoToAtomicCeil } from './money.ts'
import { type Pair, type PairContract, type PairKey, pairKey } from './networks.ts'

/** An accepted pair, its token's contract, and the amount to send on it now. */
export type PaymentOption = Pair &
  PairContract & {
    /** Amount, rounded up to the token's smallest unit; `null` if no payment may be requested on this pair now. */
    readonly dueAtomic: AtomicUnits | null
  }

/**
 * Lists the accepted pairs of a charge with the amount to send on each. Pages, their scripts and the Charge JSON all
 * use this list, so that they request the same amount. Omits pairs whose contract is not recorded: they cannot be paid.
 *
 * @param now.askedAtto - amount that may be requested from a payer, the result of `findAmountAsked`
 */
export function listPaymentOptions(
  { acceptedPayments }: { readonly acceptedPayments: readonly Pair[] },
  now: {
    readonly askedAtto: AttoDollars | null
    readonly contracts: ReadonlyMap<PairKey, PairContract>
    readonly unavailablePayments: readonly PairKey[]
  },
): readonly PaymentOption[] {
  const { askedAtto, contracts, unavailablePayments } = now
  return acceptedPayments.flatMap(({ token, network }) => {
    const key = pairKey({ token, network })
    const contract = contracts.get(key)
    if (contract === undefined) return []
    const isAsked = askedAtto !== null && !unavailablePayments.includes(key)
    const dueAtomic = isAsked ? attoToAtomicCeil(askedAtto, contract.decimals) : null
    return [{ token, network, ...contract, dueAtomic }]
  })
}

/** Returns an option as the Charge JSON shows it. */
export function presentPaymentOption(
  { token, network, chainId, tokenAddress, decimals, dueAtomic }: PaymentOption,
  family: ChainFamilyName,
) {
  return {
    ...{ token, network, family, chainId },
    contract: presentAddress(tokenAddress, family),
    decimals,
    dueAtomic: dueAtomic === null ? null : String(dueAtomic),
    dueExact: dueAtomic === null ? null : formatDecimal(dueAtomic, decimals),
  }
}
