import { toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import { findTermsByAddress } from '../../shared/db/charges/daemon/charge-terms.ts'
import type { Db } from '../../shared/db/connect.ts'
import { listTokenAddresses } from '../../shared/db/organizations/pairs-read.ts'
import { listSignableTokens } from '../../shared/db/pay-by-signature/daemon/signable-pairs.ts'
import type { RelayerKey } from '../../shared/db/relayer/daemon/relayer-transactions.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { findInvalidTerms } from './find-invalid-terms.ts'
import {
  findSigningProblem,
  type KeyPurpose,
  listChargeAddresses,
  type SigningPolicy,
  type UnsignedTransaction,
} from './find-signing-problem.ts'

/** Thrown if the relayer's key may not sign a transaction. A retry does not help. */
export class SigningRefusedError extends AppError {
  constructor(problem: string) {
    super('internal_error', `the transaction must not be signed: ${problem}`, { retryable: false })
  }
}

/**
 * Looks up the charges of a transaction, recomputes their terms, and throws unless the transaction may be signed.
 *
 * @throws {SigningRefusedError}
 */
export async function requireSignable(
  context: Signer,
  db: Db,
  transaction: UnsignedTransaction,
): Promise<void> {
  await requireSigningPolicy(context, db, {
    ...{ to: transaction.to, addresses: listChargeAddresses(transaction) },
    findProblem: (permits) => findSigningProblem(transaction, permits),
  })
}

type Signer = { readonly key: RelayerKey; readonly duty: KeyPurpose; readonly log: Logger }

/** A transaction to check, of any chain family. */
type Asked = {
  /** Called address, for the log. */
  readonly to: Address
  /** Addresses of the charges that the transaction concerns. */
  readonly addresses: readonly Address[]
  readonly findProblem: (permits: SigningPolicy) => string | null
}

/**
 * Builds the signing policy from the charges at these addresses whose terms are not forged, and throws if `findProblem`
 * reports a problem.
 *
 * @throws {SigningRefusedError}
 */
export async function requireSigningPolicy(
  { key, duty, log }: Signer,
  db: Db,
  { to, addresses, findProblem }: Asked,
): Promise<void> {
  const found = await findTermsByAddress(db, addresses)
  const forged = await findInvalidTerms(db, found)
  const problem = findProblem({
    ...key,
    duty,
    tokens: await (duty === 'payouts' ? listTokenAddresses : listSignableTokens)(db, key.chainId),
    charges: found
      .filter(({ id, acceptedChains }) => !forged.has(id) && acceptedChains.includes(key.chainId))
      .map(toChargeRecord)
      .map(({ address, splitAddress, splitTerms, escrow }) => ({
        ...{ address, splitAddress, recipients: splitTerms.recipients, isEscrow: escrow !== null },
      })),
  })
  if (problem === null) return
  const fields = { chain_id: key.chainId, to, problem, forged: [...forged.values()] }
  log.error({ msg: 'Rejected a transaction that the signing policy does not allow', ...fields })
  throw new SigningRefusedError(problem)
}
