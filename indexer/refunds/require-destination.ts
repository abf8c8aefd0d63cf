import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import type { Db } from '../../shared/db/connect.ts'
import { findKnownAddress } from '../../shared/db/refunds/daemon/known-address.ts'
import { isPayer } from '../../shared/db/refunds/daemon/refund-claims.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { findDestinationProblem } from '../../shared/domain/refund/find-destination-problem.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'

/** A refund, and the address that the merchant or the payer named for it. */
export type Destined = {
  readonly charge: ChargeRow
  readonly refund: Pick<
    RefundRecord,
    'chargeId' | 'chainId' | 'tokenAddress' | 'amountAtomic' | 'sender' | 'createdAt'
  >
  readonly destination: Address
  readonly contracts: readonly Address[]
  /** Whether the address must have sent the charge at least the refund's amount. Not checked in the sandbox. */
  readonly onlyToPayers: boolean | undefined
  /** The request field that the error names. */
  readonly param: 'address' | 'destination' | 'destination.address'
}

/**
 * Checks whether money may be refunded to an address. The rule is the same for the merchant's and the payer's address.
 *
 * @throws {AppError} `destination_not_allowed`
 */
export async function requireDestination(db: Db, destined: Destined): Promise<void> {
  const { destination, charge, refund, contracts, param } = destined
  const { organizationId, environment } = charge
  const problem =
    findDestinationProblem(destination, { charge, sender: refund.sender, contracts }) ??
    (await findKnownAddress(db, { organizationId, environment, address: destination })) ??
    (await findPayerProblem(db, destined))
  if (problem === null) return
  throw new AppError('destination_not_allowed', `the destination is ${problem}`, { param })
}

async function findPayerProblem(
  db: Db,
  { refund, destination, onlyToPayers = false }: Destined,
): Promise<string | null> {
  if (!onlyToPayers || refund.chainId === null) return null
  const sent = { ...refund, account: destination, before: refund.createdAt }
  return (await isPayer(db, sent)) ? null : 'not an account that sent the amount of the refund'
}

/** Returns the contracts of the tokens on a refund's chain. */
export function listContracts(
  chains: readonly CheckedChain[],
  { chainId, tokenAddress }: Pick<RefundRecord, 'chainId' | 'tokenAddress'>,
): readonly Address[] {
  const tokens = chains.find(({ deployment }) => deployment.chainId === chainId)?.deployment.tokens ?? []
  const known = tokenAddress === null ? [] : [tokenAddress]
  return [...known, ...tokens.flatMap(({ address, emitter }) => [address, emitter])]
}
