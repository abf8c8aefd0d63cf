import type { Address } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import type { ResolvedSplit } from './draft-charge.ts'

/** A charge before its insert. The payout address and the split recipients let an error name the restricted payee. */
type Draft = {
  readonly charge: ChargeRecord
  readonly payoutAddress: Address
  readonly splits: readonly ResolvedSplit[]
}

/**
 * Checks whether the issuer of every accepted token allows each payee of the charge to receive it.
 *
 * Cached results are used without waiting. A check that does not complete within a second counts as unrestricted.
 *
 * @returns the error `recipient_transfer_restricted`, or `null` if there is no restriction
 * @see specification, "Issuer restriction check"
 */
export async function findRestriction(ask: ReadIssuerRestriction, draft: Draft): Promise<AppError | null> {
  const { environment, acceptedPayments, splitTerms } = draft.charge
  const queries = [...new Set(splitTerms.recipients)].flatMap((account) =>
    acceptedPayments.map((pair) => ({ environment, pair, account, direction: 'receive' as const })),
  )
  const results = queries.map(ask)
  const isPending = results.some((result) => result instanceof Promise)
  const known = isPending ? await Promise.all(results.map((result) => Promise.resolve(result))) : results
  const restricted = queries.filter((_, index) => known[index] === 'restricted')
  return restricted.length === 0 ? null : createRestrictionError(restricted, draft)
}

type Restricted = { readonly account: Address; readonly pair: Pair }

function createRestrictionError(restricted: readonly Restricted[], draft: Draft): AppError {
  const accounts = [...new Set(restricted.map(({ account }) => account))]
  const reasons = accounts.map((account) => {
    const pairs = restricted.filter((one) => one.account === account).map(({ pair }) => formatPair(pair))
    return describe(account, { pairs: pairs.join(', '), draft })
  })
  return new AppError(
    'recipient_transfer_restricted',
    `${reasons.join('; ')}; omit these pairs from acceptedPayments`,
    { param: 'acceptedPayments' },
  )
}

/** Names only the pairs if the treasury is restricted, because merchants cannot change that. */
function describe(account: Address, { pairs, draft }: { pairs: string; draft: Draft }): string {
  const { payoutAddress, splits } = draft
  const split = splits.find(({ address }) => address === account)
  if (account === payoutAddress) return `the issuer restricts your payout address from receiving ${pairs}`
  if (split) return `the issuer restricts recipient ${split.recipientId} from receiving ${pairs}`
  return `currently unavailable: ${pairs}`
}

function formatPair({ token, network }: Pair): string {
  return `${token} on ${network}`
}
