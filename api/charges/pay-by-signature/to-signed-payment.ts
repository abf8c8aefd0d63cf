import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../../shared/db/connect.ts'
import { findPairContract } from '../../../shared/db/organizations/pairs-read.ts'
import type { ChargeRecord } from '../../../shared/domain/charge.ts'
import { createAuthorizationError } from '../../../shared/domain/eip3009/require-authorizable.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { pairKey } from '../../../shared/domain/networks.ts'
import type { SubmitAuthorizationBody } from './schema.ts'
import type { Submission } from './submit-authorization.ts'

/**
 * Converts the body of a submission to the `payment` that `submitAuthorization` takes. Adds the pair's token contract
 * and, as the only possible receiver, the charge's address.
 *
 * @throws {AppError} `payment_pair_not_accepted`, `authorization_invalid`
 */
export async function toSignedPayment(
  sql: Sql,
  { id, address, environment, acceptedPayments }: ChargeRecord,
  { token, network, ...written }: Static<typeof SubmitAuthorizationBody>,
): Promise<Submission['payment']> {
  const pair = { token, network }
  if (!acceptedPayments.some((one) => pairKey(one) === pairKey(pair)))
    throw new AppError('payment_pair_not_accepted', `${id} does not accept ${pairKey(pair)}`, {
      param: 'token',
    })
  const contract = await findPairContract(sql, { ...pair, environment })
  if (contract === null)
    throw createAuthorizationError('network', `${network} does not support payment by signature`)
  const { chainId, tokenAddress } = contract
  return { chainId, token: tokenAddress, written: { ...written, to: address } }
}
