import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { Db } from '../../shared/db/connect.ts'
import { findKnownAddress } from '../../shared/db/refunds/daemon/known-address.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { findDestinationProblem } from '../../shared/domain/refund/find-destination-problem.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'

/** A refund, and the address that it would go to, named by the merchant or the payer. */
export type Destined = {
  readonly charge: ChargeRow
  readonly sender: Address
  readonly destination: Address
  readonly contracts: readonly Address[]
}

/**
 * Requires that money may be refunded to an address, no matter who names it.
 *
 * @throws {AppError} `destination_not_allowed`
 */
export async function requireDestination(db: Db, destined: Destined): Promise<void> {
  const { destination, charge, ...parties } = destined
  const known = findDestinationProblem(destination, { charge, ...parties })
  const { organizationId, environment } = charge
  const problem = known ?? (await findKnownAddress(db, { organizationId, environment, address: destination }))
  if (problem === null) return
  throw new AppError('destination_not_allowed', `the destination is ${problem}`, {
    param: 'destination.address',
  })
}

/** Returns the contracts of the tokens of a refund's chain. */
export function listContracts(
  chains: readonly CheckedChain[],
  { chainId, tokenAddress }: Pick<RefundRecord, 'chainId' | 'tokenAddress'>,
): readonly Address[] {
  const tokens = chains.find(({ deployment }) => deployment.chainId === chainId)?.deployment.tokens ?? []
  const known = tokenAddress === null ? [] : [tokenAddress]
  return [...known, ...tokens.flatMap(({ address, emitter }) => [address, emitter])]
}
