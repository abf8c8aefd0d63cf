import { toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import { findTermsByAddress } from '../../shared/db/charges/daemon/charge-terms.ts'
import type { Db } from '../../shared/db/connect.ts'
import { listTokenAddresses } from '../../shared/db/organizations/pairs-read.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { findForged } from './find-forged.ts'
import { findSigningProblem, listServedAddresses, type Unsigned } from './find-signing-problem.ts'
import type { RelayerContext } from './relayer-context.ts'

/** Our key does not sign this; trying again helps nobody. */
export class RefusedToSignError extends AppError {
  constructor(problem: string) {
    super('internal_error', `will not sign: ${problem}`, { retryable: false })
  }
}

/**
 * Looks up the charges that a transaction is about, computes their terms again, and throws unless it may be signed.
 *
 * @throws {RefusedToSignError}
 */
export async function requireSignable(
  { key, log }: RelayerContext,
  db: Db,
  transaction: Unsigned,
): Promise<void> {
  const found = await findTermsByAddress(db, listServedAddresses(transaction))
  const forged = await findForged(db, found)
  const problem = findSigningProblem(transaction, {
    ...key,
    tokens: await listTokenAddresses(db, key.chainId),
    charges: found
      .filter(({ id, acceptedChains }) => !forged.has(id) && acceptedChains.includes(key.chainId))
      .map(toChargeRecord)
      .map(({ address, splitAddress, splitTerms, escrow }) => ({
        ...{ address, splitAddress, recipients: splitTerms.recipients, isEscrow: escrow !== null },
      })),
  })
  if (problem === null) return
  const { to, chainId } = transaction
  log.error({
    msg: 'Refused to sign a transaction',
    chain_id: chainId,
    to,
    problem,
    forged: [...forged.values()],
  })
  throw new RefusedToSignError(problem)
}
