import { invariant } from '../../shared/domain/errors.ts'
import { createClaimSecret, hashClaimSecret } from '../../shared/domain/refund/claim-secret.ts'
import { createFieldError } from '../http/field-error.ts'

/** A payer's link to a refund. Only the hash of its secret is stored. */
export type ClaimLink = { readonly claimUrl: string; readonly claimHash: string }

/**
 * Creates a link for the payer of a charge's refund.
 *
 * @throws {AppError} `validation_error` if the service has no checkout
 */
export function createClaimLink(checkoutBaseUrl: string | null, chargeId: string): ClaimLink {
  if (checkoutBaseUrl === null)
    throw createFieldError('destination.claim', 'needs the checkout, which this service does not have')
  const secret = createClaimSecret()
  const claimHash = hashClaimSecret(secret)
  invariant(claimHash !== null, 'a new secret has a hash')
  return { claimUrl: `${checkoutBaseUrl.replace(/\/$/, '')}/${chargeId}/refund/${secret}`, claimHash }
}
