import type { Address } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import type { AskIssuer } from '../issuers.ts'
import type { ResolvedSplit } from './draft-charge.ts'

/** A charge about to be made, and who is behind the addresses that it pays. */
type Draft = {
  readonly charge: ChargeRecord
  readonly payoutAddress: Address
  readonly splits: readonly ResolvedSplit[]
}

/**
 * Asks the issuer of every accepted token whether each address the charge pays may receive it.
 *
 * Asks nobody, and waits for nothing, while the answers are known. No answer within a second blocks nothing.
 *
 * @returns the `recipient_transfer_restricted` to refuse the charge with, or `null`
 * @see specification, "Issuer restriction check"
 */
export async function findRestriction(ask: AskIssuer, draft: Draft): Promise<AppError | null> {
  const { environment, acceptedPayments, splitTerms } = draft.charge
  const questions = [...new Set(splitTerms.recipients)].flatMap((account) =>
    acceptedPayments.map((pair) => ({ environment, pair, account, direction: 'receive' as const })),
  )
  const answers = questions.map(ask)
  const isPending = answers.some((answer) => answer instanceof Promise)
  const known = isPending ? await Promise.all(answers.map((answer) => Promise.resolve(answer))) : answers
  const restricted = questions.filter((_, index) => known[index] === 'restricted')
  return restricted.length === 0 ? null : refuse(restricted, draft)
}

type Restricted = { readonly account: Address; readonly pair: Pair }

function refuse(restricted: readonly Restricted[], draft: Draft): AppError {
  const accounts = [...new Set(restricted.map(({ account }) => account))]
  const reasons = accounts.map((account) => {
    const pairs = restricted.filter((one) => one.account === account).map(({ pair }) => nameOf(pair))
    return describe(account, { pairs: pairs.join(', '), draft })
  })
  return new AppError(
    'recipient_transfer_restricted',
    `${reasons.join('; ')}: leave these pairs out of acceptedPayments`,
    { param: 'acceptedPayments' },
  )
}

/** The treasury is the service's own affair, so only the pair is named. */
function describe(account: Address, { pairs, draft }: { pairs: string; draft: Draft }): string {
  const { payoutAddress, splits } = draft
  const split = splits.find(({ address }) => address === account)
  if (account === payoutAddress) return `the issuer restricts your payout address from receiving ${pairs}`
  if (split) return `the issuer restricts recipient ${split.recipientId} from receiving ${pairs}`
  return `currently unavailable: ${pairs}`
}

function nameOf({ token, network }: Pair): string {
  return `${token} on ${network}`
}
