import type { Db } from '../../shared/db/connect.ts'
import { readPayerHistory } from '../../shared/db/pay-by-signature/authorization-facts.ts'
import { areContractsBroken } from '../../shared/db/pay-by-signature/circuit-breaker.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'

/**
 * Maximum failed authorizations per payer and day. A revert costs us gas, and costs the payer at most one transaction.
 * An authorization that expires blocks its charge until then.
 */
const MAX_FAILED_OF_PAYER = 3

/**
 * Throws if the payer's earlier signatures, for any charge of the environment, forbid another attempt. An authorization
 * that expired without a transaction of ours counts only against a contract, which can cause this by making its check
 * expensive. For a key, the expiry is our fault. All contracts that pay an organization on a chain also share a circuit
 * breaker.
 *
 * If the payer's key has not signed, call this function only after a quorum has reported that the account has code. The
 * error then does not give the reason, because the address might belong to an uninvolved account.
 *
 * @throws {AppError} if the payer's authorization may not be executed now
 */
export async function requireGoodRecord(
  db: Db,
  verified: Pick<VerifiedAuthorization, 'request' | 'asked' | 'isSignedByKey' | 'organizationId'>,
): Promise<void> {
  const { request, asked, isSignedByKey, organizationId } = verified
  const whose = { payer: asked.signed.from, chargeId: request.chargeId, requestId: request.id }
  const { hasInFlight, reverted, expired } = await readPayerHistory(db, whose)
  const failed = isSignedByKey ? reverted : reverted + expired
  const isRefused = hasInFlight || failed >= MAX_FAILED_OF_PAYER
  const { chainId } = asked
  if (!isSignedByKey && (isRefused || (await areContractsBroken(db, { organizationId, chainId }))))
    throw new AppError(
      'signature_payment_unavailable',
      `${request.chargeId} cannot be paid by this signature now`,
    )
  if (hasInFlight)
    throw new AppError('payment_in_progress', 'another payment by signature of this payer is in progress')
  if (failed >= MAX_FAILED_OF_PAYER)
    throw new AppError(
      'signature_payment_unavailable',
      'too many signatures of this payer failed within a day',
    )
}
