import { buildCreationCall } from '../../../shared/chain/safe/escrow-call.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import {
  type EscrowTransaction,
  escrowTxHash,
  escrowTypedData,
} from '../../../shared/domain/escrow-transaction.ts'
import { atomic } from '../../../shared/domain/money.ts'
import type { ExitChain } from './exit-chain.ts'
import type { Holding } from './survey-chain.ts'

/** What a releaser must sign so that the money of an escrow reaches the merchant and the other recipients. */
export type EscrowOrder = {
  readonly releaser: Address
  readonly transaction: EscrowTransaction
  readonly typedData: ReturnType<typeof escrowTypedData>
  readonly safeTxHash: string
  /** The call that creates the Safe, which must be sent first; `null` if the Safe exists. */
  readonly creation: { readonly to: Address; readonly data: Hex } | null
}

/**
 * Builds the Safe transaction that releases an escrow: a transfer of the whole balance to the charge's split.
 *
 * @returns `null` without money in the Safe, and for the native coin, which releasers move in their own way
 */
export function buildEscrowOrder({ chainId }: ExitChain, holding: Holding): EscrowOrder | null {
  const { charge, token, inEscrow, safeNonce } = holding
  const { releaser } = charge
  if (releaser === null || inEscrow === 0n || token.address === NATIVE_COIN) return null
  const transaction = {
    ...{ chainId, nonce: safeNonce ?? 0n, tokenAddress: token.address, amountAtomic: atomic(inEscrow) },
    ...{ safeAddress: charge.address, destination: charge.splitAddress },
  }
  const typedData = escrowTypedData(transaction)
  const creation = safeNonce === null ? buildCreationCall({ releaser, saltNonce: charge.salt }) : null
  return { releaser, transaction, typedData, creation, safeTxHash: escrowTxHash(transaction) }
}
