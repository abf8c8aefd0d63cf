import { type Address, checksum } from '../../../shared/domain/address.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { type ChargeRecord, findMerchant } from '../../../shared/domain/charge.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { AppError, type ErrorCode } from '../../../shared/domain/errors.ts'
import type { EscrowAction } from '../../../shared/domain/escrow-action.ts'
import { findAddressProblem } from '../../../shared/domain/find-terms-problem.ts'
import type { AtomicUnits } from '../../../shared/domain/money.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import { draftEscrow, type EscrowReading, presentEscrow } from '../../charges/escrow/prepare-escrow.ts'
import type { ReadEscrow } from './read-escrow-briefly.ts'

/** A transaction to sign. */
type EscrowOrder = ReturnType<typeof presentEscrow>

/** One payment of a release. The amount is an exact decimal in units of the token. */
export type EscrowShare = {
  readonly to: 'merchant' | 'recipient' | 'fee'
  readonly address: string
  readonly amount: string
}

/** The last credited transfer. Dust is ignored, unless only dust was credited. */
export type LastPayment = {
  /** An exact decimal in units of the token. */
  readonly amount: string
  /** Block time, in ISO 8601. */
  readonly at: string
  /** `null` in the sandbox. */
  readonly txHash: string | null
  /** Whether the escrow holds more than this transfer. Then a refund might pay money of other payers to its sender. */
  readonly isPart: boolean
}

/** An escrow with a balance that its releaser can release or refund. */
export type HeldEscrow = {
  readonly state: 'held'
  readonly pair: Pair
  readonly chainId: number
  /** The balance, an exact decimal in units of the token. */
  readonly amount: string
  /**
   * The transactions to sign, as the API endpoints prepare them. `refund` is `null` if only dust was credited and a
   * larger payment is not credited yet, because the refund would send that payment to the sender of the dust.
   */
  readonly orders: {
    readonly release: EscrowOrder
    readonly refund: EscrowOrder | null
  }
  /** The transfer whose sender a refund pays. */
  readonly lastPayment: LastPayment
  /** The payments to the recipients after a release, in the order of the split. */
  readonly shares: readonly EscrowShare[]
}

/**
 * The content of the page of an escrow.
 *
 * - `empty`: nothing is held.
 * - `ordered`: an order was accepted, but the escrow has not ended yet.
 * - `ended`: the escrow was released or refunded.
 * - `blocked`: the service executes no order; the releaser can move the money on chain.
 * - `unread`: the escrow cannot be read from the nodes now.
 */
export type EscrowView =
  | HeldEscrow
  | { readonly state: 'ordered' | 'ended'; readonly action: EscrowAction }
  | { readonly state: 'empty' | 'blocked' | 'unread' }

/**
 * Returns the content of the page of an escrow charge. Throws every error that `VIEWS` does not list.
 *
 * The recipients are shown only if the split's address commits to them, because the releaser signs only the address.
 */
export async function viewEscrow(charge: ChargeRecord, readEscrow: ReadEscrow): Promise<EscrowView> {
  const { escrow } = charge
  if (escrow?.releasedAt) return { state: 'ended', action: 'release' }
  if (escrow?.refundedAt) return { state: 'ended', action: 'refund' }
  if (escrow?.pendingAction) return { state: 'ordered', action: escrow.pendingAction }
  if (findAddressProblem(charge) !== null) return { state: 'blocked' }
  try {
    return presentHeld(charge, await readEscrow(charge.id))
  } catch (error) {
    const view = error instanceof AppError ? VIEWS[error.code] : undefined
    if (view === undefined) throw error
    return view
  }
}

/** Views of an escrow for which no order can be prepared. */
const VIEWS: Readonly<Partial<Record<ErrorCode, EscrowView>>> = {
  escrow_empty: { state: 'empty' },
  // The order was mined after the charge was read.
  escrow_already_released: { state: 'ordered', action: 'release' },
  escrow_already_refunded: { state: 'ordered', action: 'refund' },
  escrow_multiple_payment_pairs: { state: 'blocked' },
  escrow_safe_mismatch: { state: 'blocked' },
  rpc_unavailable: { state: 'unread' },
}

function presentHeld(charge: ChargeRecord, reading: EscrowReading): HeldEscrow {
  const { token, network, chainId, decimals, amountAtomic, at, txHash } = reading.escrow
  const { balanceAtomic } = reading.safe
  const prepare = (action: EscrowAction) =>
    presentEscrow(draftEscrow(reading, { action, signedAmount: null }))
  return {
    state: 'held',
    pair: { token, network },
    chainId,
    amount: formatDecimal(balanceAtomic, decimals),
    orders: { release: prepare('release'), refund: unlessEmpty(() => prepare('refund')) },
    lastPayment: {
      ...{ amount: formatDecimal(amountAtomic, decimals), at: at.toISOString(), txHash },
      isPart: amountAtomic < balanceAtomic,
    },
    shares: listShares(charge, { amount: balanceAtomic, decimals }),
  }
}

/** Returns the refund, or `null` if it is rejected although the escrow has a balance. */
function unlessEmpty(prepareRefund: () => EscrowOrder): EscrowOrder | null {
  try {
    return prepareRefund()
  } catch (error) {
    if (error instanceof AppError && error.code === 'escrow_empty') return null
    throw error
  }
}

/**
 * Lists the payments of a release: to the merchant, unless they have no share, then to the charge's recipients, then
 * the service's fee. The last payment includes the incentive of the distribution, as in `buildReleaseCall`.
 */
function listShares(
  charge: ChargeRecord,
  { amount, decimals }: { readonly amount: AtomicUnits; readonly decimals: number },
): readonly EscrowShare[] {
  const { splitTerms, splitRecipients } = charge
  const { payouts, incentive } = distribute({ amount, split: splitTerms })
  const merchant = findMerchant(charge) === null ? 0 : 1
  return splitTerms.recipients.map((address: Address, index) => {
    const recipient = splitRecipients[index - merchant]
    const isLast = index === payouts.length - 1
    const paidAtomic = (payouts[index] ?? 0n) + (isLast ? incentive : 0n)
    return {
      to: index < merchant ? 'merchant' : recipient === undefined ? 'fee' : 'recipient',
      address: checksum(address),
      amount: formatDecimal(paidAtomic, decimals),
    }
  })
}
