import type { Address, Hex } from './address.ts'
import type { SplitTerms } from './charge.ts'
import { AppError } from './errors.ts'
import type { EscrowAction } from './escrow-action.ts'
import { isEscrowDust } from './escrow-end.ts'
import type { EscrowTransaction } from './escrow-transaction.ts'
import { parseEscrowSignature, recoverEscrowSigner } from './escrow-transaction.ts'
import { type AtomicUnits, atomic, atomicToAtto, type MicroDollars } from './money.ts'
import { chargeSalt } from './split-address.ts'

/** What our ledger knows of a charge that matters to its escrow. */
export type EscrowFacts = {
  readonly chargeId: string
  /** The Safe, if the charge has an escrow. */
  readonly address: Address
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  /** `null`: a charge without escrow. */
  readonly releaser: Address | null
  /** How the escrow ended, or an order of ours that is mined and will end it. */
  readonly moved: EscrowAction | null
  /** The charge's `amount`. */
  readonly amountMicro: MicroDollars
  /** Number of pairs it was paid on, without dust unless there is only dust. */
  readonly paidPairs: number
  /** Whether no sender was credited more than dust on any pair. */
  readonly isOnlyDust: boolean
  /** How many orders our relayer has paid gas for in vain. */
  readonly revertedOrders: number
  /** The most recently credited transfer, of dust only if there is only dust; `null` if there is none. */
  readonly lastCredit: EscrowCredit | null
  /** Whether the sandbox has credited some and a chain the rest: only what is on the chain can be moved. */
  readonly isMixed: boolean
  /** The Safe of a rehearsed escrow, as the sandbox has it; `null`: it is on a chain, which is to be asked. */
  readonly simulatedSafe: SafeState | null
}

/** A transfer that was credited to an escrow. */
export type EscrowCredit = {
  readonly chainId: number
  readonly tokenAddress: Address
  /** The token's. */
  readonly decimals: number
  readonly sender: Address
  /** `null` for a credit of the sandbox. */
  readonly txHash: Hex | null
  readonly amountAtomic: AtomicUnits
  /** Time of the block; of a sandbox credit the time it was made. */
  readonly at: Date
}

/** An escrow that has something to move, as far as our ledger knows. */
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
  readonly isMixed: boolean
}

/** A Safe as its chain has it now. */
export type SafeState = {
  readonly isDeployed: boolean
  readonly nonce: bigint
  readonly balanceAtomic: AtomicUnits
}

/**
 * What passes a simulation and reverts when it is mined, again and again, is a Safe that its releaser has taught to
 * burn our gas; once, it may be a token that was paused in between.
 */
const MAX_REVERTED_ORDERS = 2

/**
 * Answers the escrow of a charge if there is something to release or refund, before the chain is asked.
 *
 * @throws {AppError} `escrow_not_enabled`, `escrow_already_released`, `escrow_already_refunded`,
 * `escrow_multiple_payment_pairs`, `escrow_safe_mismatch`, `escrow_empty` (decisions 4.1)
 */
export function requirePaidEscrow(facts: EscrowFacts): PaidEscrow {
  const { chargeId, releaser, moved, lastCredit } = facts
  if (releaser === null) {
    throw new AppError(
      'escrow_not_enabled',
      `charge ${chargeId} was created without escrow, and its money is paid out by itself: to release or refund, create the next charge with "escrow"`,
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
      `charge ${chargeId} was paid on ${facts.paidPairs} pairs; one signature moves one`,
    )
  }
  if (facts.revertedOrders >= MAX_REVERTED_ORDERS) {
    throw new AppError(
      'escrow_safe_mismatch',
      `${facts.revertedOrders} orders of ${chargeId} were mined and reverted, and no more are relayed: the releaser ` +
        'can move the money on chain himself',
    )
  }
  if (lastCredit === null)
    throw new AppError('escrow_empty', `nothing was credited to charge ${chargeId} yet`)
  // On a chain such an order moves the dust and ends nothing; a rehearsed Safe has no other way to be moved than its end.
  if (facts.simulatedSafe !== null && facts.isOnlyDust) {
    throw new AppError('escrow_empty', `${chargeId} was credited only dust, which ends no escrow`)
  }
  const { address: safeAddress, splitAddress, splitTerms, amountMicro, isMixed } = facts
  const saltNonce = chargeSalt(chargeId)
  const terms = { chargeId, safeAddress, splitAddress, splitTerms, releaser, amountMicro, saltNonce }
  return { ...lastCredit, ...terms, isMixed }
}

/** The action and the amount that the releaser signs. */
export type EscrowIntent = {
  readonly action: EscrowAction
  /** In the token's units, as text; `null` for the live balance. */
  readonly signedAmount: string | null
}

/** Why money that the sandbox has credited beside real money of a testnet stays where it is (decisions 2.1). */
export const SIMULATED_PART =
  'what the sandbox has credited is on no chain, and cannot be moved once a chain has paid the charge too'

/**
 * Drafts the transaction that the releaser signs: the signed amount, by default the whole live balance, to the split or
 * to the last payer.
 *
 * @throws {AppError} `escrow_empty` if there is no balance; `escrow_invalid_signature` if the signed amount is above the
 * balance, or leaves more than dust in the Safe
 */
export function draftEscrowTransaction(
  { action, signedAmount }: EscrowIntent,
  escrow: PaidEscrow,
  safe: SafeState,
): EscrowTransaction {
  const { chainId, safeAddress, tokenAddress } = escrow
  if (safe.balanceAtomic === 0n) {
    const simulated = escrow.isMixed ? `; ${SIMULATED_PART}` : ''
    const message = `${safeAddress} holds nothing of ${tokenAddress} on chain ${chainId}${simulated}`
    throw new AppError('escrow_empty', message)
  }
  return {
    chainId,
    safeAddress,
    tokenAddress,
    destination: action === 'release' ? escrow.splitAddress : escrow.sender,
    amountAtomic: signedAmount === null ? safe.balanceAtomic : requireNearlyAll(signedAmount, escrow, safe),
    nonce: safe.nonce,
  }
}

/** A stranger's cent must not void every signature, so the releaser may leave dust in the Safe (decisions 4.1). */
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
    `amount ${amountAtomic} does not match the balance ${balanceAtomic}: it must not be above it, and the rest must be ` +
      'below 1 % of the charge’s amount: prepare and sign again',
    { param: 'amount' },
  )
}

/**
 * Answers the signature as the Safe wants it, if the releaser has signed this very transaction.
 *
 * Another balance or nonce than the one prepared makes another hash, of which the same bytes are somebody else's
 * signature.
 *
 * @throws {AppError} `escrow_invalid_signature`
 */
export async function verifyEscrowSignature(
  transaction: EscrowTransaction,
  signed: { readonly releaser: Address; readonly signature: string },
): Promise<Hex> {
  const signature = parseEscrowSignature(signed.signature)
  if (signature === null) throw refuseSignature('is not 65 bytes with a low s and v 27, 28, 0 or 1')
  if ((await recoverEscrowSigner(transaction, signature)) === signed.releaser) return signature
  throw refuseSignature(
    'is not the releaser’s of the transaction as it is now; the balance may have changed: prepare and sign again',
  )
}

function refuseSignature(reason: string): AppError {
  return new AppError('escrow_invalid_signature', `the signature ${reason}`, { param: 'signature' })
}
