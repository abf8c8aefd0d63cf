import { readPayerRecord } from '../../shared/db/authorizations/authorization-facts.ts'
import { areContractsBroken } from '../../shared/db/authorizations/circuit-breaker.ts'
import type { Db } from '../../shared/db/connect.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'

/** A payer's day: each that reverts costs us gas, and him a transaction at most; each that lapses holds a charge up. */
const MAX_FAILED_OF_PAYER = 3

/**
 * Reads what came of a payer's earlier signatures, for whichever charges; of whom his key has not signed, only after his code was
 * found. Of him nothing is told: that could be anybody's address. What lapsed unsent counts against code alone, which makes that
 * itself by what its check costs; of a key it is our fault. Contracts of all payers have a circuit breaker of their own.
 *
 * @throws {AppError} why his is not carried out now
 */
export async function requireGoodRecord(
  db: Db,
  verified: Pick<VerifiedAuthorization, 'request' | 'asked' | 'isSignedByKey' | 'organizationId'>,
): Promise<void> {
  const { request, asked, isSignedByKey, organizationId } = verified
  const whose = { payer: asked.signed.from, chargeId: request.chargeId, requestId: request.id }
  const { hasInFlight, reverted, lapsed } = await readPayerRecord(db, whose)
  const failed = isSignedByKey ? reverted : reverted + lapsed
  const isRefused = hasInFlight || failed >= MAX_FAILED_OF_PAYER
  const { chainId } = asked
  if (!isSignedByKey && (isRefused || (await areContractsBroken(db, { organizationId, chainId }))))
    throw new AppError(
      'signature_payment_unavailable',
      `${request.chargeId} is not paid by this signature now`,
    )
  if (hasInFlight)
    throw new AppError('payment_in_progress', 'another payment of this payer by signature is under way')
  if (failed >= MAX_FAILED_OF_PAYER)
    throw new AppError(
      'signature_payment_unavailable',
      'too many signatures of this payer came to nothing within a day',
    )
}
