import type { Address, Hex } from './address.ts'
import type { SplitTerms } from './charge.ts'
import { AppError } from './errors.ts'
import type { EscrowAction } from './escrow-action.ts'
import { isEscrowDust } from './escrow-end.ts'
import type { EscrowTransaction } from './escrow-transaction.ts'
import { parseEscrowSignature, recoverEscrowSigner } from './escrow-transaction.ts'
import { type AtomicUnits, type AttoDollars, atomic, atomicToAtto, atto, type MicroDollars } from './money.ts'
import type { Pair } from './networks.ts'
import { chargeSalt } from './split-address.ts'

/** The facts in our ledger that decide whether the escrow of a charge can be released or refunded. */
export type EscrowFacts = {
  readonly chargeId: string
  /** The Safe of an escrow charge; the split of any other charge. */
  readonly address: Address
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  /** The releaser; `null` for a charge without escrow. */
  readonly releaser: Address | null
  /** How the escrow ended, or how a mined order will end it; otherwise `null`. */
  readonly moved: EscrowAction | null
  /** The charge's `amount`. */
  readonly amountMicro: MicroDollars
  /** Number of pairs with credits. Dust counts only if there are no other credits. */
  readonly paidPairs: number
  /**
   * Sum of the credits on the pair of the last credit, if every sender was credited only dust on each pair; otherwise
   * `null`.
   */
  readonly onlyDustAtto: AttoDollars | null
  /** Number of reverted orders for which our relayer paid gas. */
  readonly revertedOrders: number
  /** The most recent credit above dust or, if there is none, the most recent dust; `null` without credits. */
  readonly lastCredit: EscrowCredit | null
  /** Whether the charge has credits from both the sandbox and a chain. Only those from a chain can be moved. */
  readonly isMixed: boolean
  /** The simulated Safe of a sandbox escrow; `null` if the Safe must be read from a chain. */
  readonly simulatedSafe: SafeState | null
}

/** A transfer that was credited to an escrow. */
export type EscrowCredit = Pair & {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
  readonly sender: Address
  /** The transaction of the transfer; `null` for a credit of the sandbox. */
  readonly txHash: Hex | null
  readonly amountAtomic: AtomicUnits
  /** Time of the block; for a sandbox credit, the time of its creation. */
  readonly at: Date
}

/** An escrow that, according to our ledger, has a balance to move. */
export type PaidEscrow = EscrowCredit & {
  readonly chargeId: string
  readonly safeAddress: Address
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  readonly releaser: Address
  /** The charge's `amount`. */
  readonly amountMicro: MicroDollars
  /** 32 bytes. */
  readonly saltNonce: Hex
  readonly onlyDustAtto: AttoDollars | null
  readonly isMixed: boolean
}

export type SafeState = {
  readonly isDeployed: boolean
  readonly nonce: bigint
  readonly balanceAtomic: AtomicUnits
}

/**
 * Maximum reverted orders of an escrow, after which no order is relayed. One order may revert after its simulation
 * succeeded, for example because the token was paused in between. After a second revert, the releaser has probably set
 * up the Safe to burn our gas.
 */
const MAX_REVERTED_ORDERS = 2

/**
 * Returns the escrow of a charge if there is a balance to release or refund. Does not read the chain.
 *
 * @throws {AppError} `escrow_not_enabled`, `escrow_already_released`, `escrow_already_refunded`,
 * `escrow_multiple_payment_pairs`, `escrow_safe_mismatch`, `escrow_empty` (decisions 4.1)
 */
export function requirePaidEscrow(facts: EscrowFacts): PaidEscrow {
  const { chargeId, releaser, moved, lastCredit } = facts
  if (releaser === null) {
    throw new AppError(
      'escrow_not_enabled',
      `charge ${chargeId} was created without escrow and is paid out automatically: to release or refund, create the next charge with "escrow"`,
    )
  }
  if (moved === 'release') {
    throw new AppError('escrow_already_released', `the escrow of ${chargeId} was released`)
  }
  if (moved === 'refund') {
    throw new AppError('escrow_already_refunded', `the escrow of ${chargeId} was refunded`)
  }
  if (facts.paidPairs > 1) {
    throw new AppError(
      'escrow_multiple_payment_pairs',
      `charge ${chargeId} was paid on ${facts.paidPairs} pairs; one signature moves only one`,
    )
  }
  if (facts.revertedOrders >= MAX_REVERTED_ORDERS) {
    throw new AppError(
      'escrow_safe_mismatch',
      `${facts.revertedOrders} orders of ${chargeId} were mined and reverted, so no more are relayed: the releaser ` +
        'can move the money on chain',
    )
  }
  if (lastCredit === null) throw new AppError('escrow_empty', `charge ${chargeId} has no credits yet`)
  // On a chain, an order for dust moves the dust without ending the escrow. In the sandbox, money moves only when an
  // escrow ends.
  if (facts.simulatedSafe !== null && facts.onlyDustAtto !== null) {
    throw new AppError('escrow_empty', `${chargeId} was credited only dust, which cannot end an escrow`)
  }
  const { address: safeAddress, splitAddress, splitTerms, amountMicro, onlyDustAtto, isMixed } = facts
  const saltNonce = chargeSalt(chargeId)
  const terms = { chargeId, safeAddress, splitAddress, splitTerms, releaser, amountMicro, saltNonce }
  return { ...lastCredit, ...terms, onlyDustAtto, isMixed }
}

export type EscrowIntent = {
  readonly action: EscrowAction
  /** Amount in the token's atomic units, as text; `null` for the current balance. */
  readonly signedAmount: string | null
}

/** Reason why sandbox credits cannot be moved if a testnet payment was also credited (decisions 2.1). */
export const SIMULATED_PART =
  'sandbox credits are on no chain, and cannot be moved once a chain has paid the charge too'

/**
 * Drafts the transaction for the releaser to sign. It sends the signed amount, by default the whole current balance, to
 * the split or to the last payer.
 *
 * @throws {AppError} `escrow_empty` if there is no balance, or if a refund to a sender of dust would include an
 * uncredited payment; `escrow_invalid_signature` if the signed amount is zero, exceeds the balance, or leaves more than
 * dust in the Safe
 */
export function draftEscrowTransaction(
  { action, signedAmount }: EscrowIntent,
  escrow: PaidEscrow,
  safe: SafeState,
): EscrowTransaction {
  const { chainId, safeAddress, tokenAddress } = escrow
  if (safe.balanceAtomic === 0n) {
    const simulated = escrow.isMixed ? `; ${SIMULATED_PART}` : ''
    const message = `${safeAddress} holds no ${tokenAddress} on chain ${chainId}${simulated}`
    throw new AppError('escrow_empty', message)
  }
  if (action === 'refund') requireOnlyDust(escrow, safe)
  return {
    chainId,
    safeAddress,
    tokenAddress,
    destination: action === 'release' ? escrow.splitAddress : escrow.sender,
    amountAtomic: signedAmount === null ? safe.balanceAtomic : requireNearlyAll(signedAmount, escrow, safe),
    nonce: safe.nonce,
  }
}

/**
 * Throws if only dust was credited, but the Safe holds more. The difference is a payment that is not at confirmation
 * depth yet, and the refund would send it to the sender of the dust.
 */
function requireOnlyDust(
  { onlyDustAtto, amountMicro, decimals, safeAddress }: PaidEscrow,
  { balanceAtomic }: SafeState,
): void {
  if (onlyDustAtto === null) return
  const uncreditedAtto = atomicToAtto(balanceAtomic, decimals) - onlyDustAtto
  if (uncreditedAtto <= 0n || isEscrowDust(atto(uncreditedAtto), amountMicro)) return
  throw new AppError(
    'escrow_empty',
    `only dust was credited to ${safeAddress}, and the rest of its balance is not credited yet: try again later`,
  )
}

/**
 * Throws if the signed amount is zero, exceeds the balance, or leaves more than dust in the Safe. Dust may be left,
 * because otherwise a third party could invalidate every signature by sending a cent (decisions 4.1).
 */
function requireNearlyAll(
  signedAmount: string,
  { amountMicro, decimals }: PaidEscrow,
  { balanceAtomic }: SafeState,
): AtomicUnits {
  const amountAtomic = atomic(BigInt(signedAmount))
  const restAtomic = atomic(balanceAtomic - amountAtomic)
  const isAccepted = restAtomic === 0n || isEscrowDust(atomicToAtto(restAtomic, decimals), amountMicro)
  if (restAtomic >= 0n && amountAtomic > 0n && isAccepted) return amountAtomic
  throw new AppError(
    'escrow_invalid_signature',
    `amount ${amountAtomic} does not match the balance ${balanceAtomic}: it must not exceed the balance, and the rest must be ` +
      'below 1 % of the charge’s amount. Prepare and sign again',
    { param: 'amount' },
  )
}

/**
 * Returns the signature in the form that the Safe requires, if the releaser signed exactly this transaction.
 *
 * If the amount or nonce has changed since the transaction was prepared, its hash differs, and the signature appears to
 * be by an unrelated account.
 *
 * @throws {AppError} `escrow_invalid_signature`
 */
export async function verifyEscrowSignature(
  transaction: EscrowTransaction,
  signed: { readonly releaser: Address; readonly signature: string },
): Promise<Hex> {
  const signature = parseEscrowSignature(signed.signature)
  if (signature === null) throw createSignatureError('must be 65 bytes with a low s and v 27, 28, 0 or 1')
  if ((await recoverEscrowSigner(transaction, signature)) === signed.releaser) return signature
  throw createSignatureError(
    'does not match the releaser and the current transaction; the balance may have changed: prepare and sign again',
  )
}

function createSignatureError(reason: string): AppError {
  return new AppError('escrow_invalid_signature', `the signature ${reason}`, { param: 'signature' })
}
