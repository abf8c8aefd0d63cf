import { buildCreationCall } from '../../../shared/chain/safe/escrow-call.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import {
  type EscrowTransaction,
  escrowTxHash,
  escrowTypedData,
} from '../../../shared/domain/escrow-transaction.ts'
import { atomic } from '../../../shared/domain/money.ts'
import type { ChainSurvey, Holding } from './survey-chain.ts'

/** The Safe transaction with which a releaser moves the money of an escrow to the charge's split. */
export type EscrowOrder = {
  readonly releaser: Address
  readonly transaction: EscrowTransaction
  readonly typedData: ReturnType<typeof escrowTypedData>
  readonly safeTxHash: string
  /** The call that must be sent first to create the Safe; `null` if the Safe exists or an earlier order creates it. */
  readonly creation: { readonly to: Address; readonly data: Hex } | null
}

/** Money in a Safe. The order is `null` for native coin, and if neither service nor user has confirmed the split. */
export type ListedEscrow = { readonly holding: Holding; readonly order: EscrowOrder | null }

/**
 * Lists the escrows with money, each with the Safe transaction that transfers its balance to the charge's split.
 *
 * A Safe's address commits to its releaser and the charge's id, but not to a split. A forged record could name another
 * split, so only terms that the service signed and splits that the user confirmed get an order.
 *
 * The transactions of one Safe have consecutive nonces and must be executed in that order.
 *
 * @param confirmed - splits that the user has compared with their own terms
 */
export function listEscrows(
  { chain, holdings }: ChainSurvey,
  confirmed: readonly Address[],
): readonly ListedEscrow[] {
  const orders = new Map<Address, bigint>()
  return holdings
    .filter(({ inEscrow }) => inEscrow > 0n)
    .map((holding) => {
      const { charge, token } = holding
      const isTrusted = charge.isSigned || confirmed.includes(charge.splitAddress)
      if (!isTrusted || token.address === NATIVE_COIN) return { holding, order: null }
      const earlier = orders.get(charge.address) ?? 0n
      orders.set(charge.address, earlier + 1n)
      return { holding, order: buildEscrowOrder(holding, { chainId: chain.chainId, earlier }) }
    })
}

function buildEscrowOrder(
  { charge, token, inEscrow, safeNonce }: Holding,
  { chainId, earlier }: { readonly chainId: number; readonly earlier: bigint },
): EscrowOrder | null {
  const { releaser } = charge
  if (releaser === null) return null
  const transaction = {
    ...{ chainId, nonce: (safeNonce ?? 0n) + earlier, tokenAddress: token.address },
    ...{ amountAtomic: atomic(inEscrow), safeAddress: charge.address, destination: charge.splitAddress },
  }
  const isMissing = safeNonce === null && earlier === 0n
  const creation = isMissing ? buildCreationCall({ releaser, saltNonce: charge.salt }) : null
  const typedData = escrowTypedData(transaction)
  return { releaser, transaction, typedData, creation, safeTxHash: escrowTxHash(transaction) }
}
