import { BaseError } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { cleanText } from './clean-text.ts'
import type { ExitChain } from './exit-chain.ts'
import type { ExitCharge } from './exit-charge.ts'
import { listPayments, type Payment } from './payment.ts'
import { findWorthlessReason, type WorthOptions } from './payment-worth.ts'
import { type Distributed, readDistributed } from './read-distributed.ts'
import type { BlockedPayment, QuotedPayment } from './sender.ts'
import { SENDERS_BY_FAMILY } from './senders-by-family.ts'
import { type ChainSurvey, surveyChain } from './survey-chain.ts'
import { tryAgain } from './try-again.ts'

/** The money on a chain, and the payments that can be sent there. */
export type ChainPlan = ChainSurvey & {
  /** `null` if the logs could not be read, for example because the node limits queries too much. */
  readonly distributed: readonly Distributed[] | null
  readonly payable: readonly QuotedPayment[]
  readonly blocked: readonly BlockedPayment[]
  /** Payments that are not worth their gas. */
  readonly skipped: readonly BlockedPayment[]
}

/** A chain that could not be read. It might hold money. */
export type UnreadChain = { readonly chain: ExitChain; readonly problem: string }

const CONCURRENT_QUOTES = 8

/** Number of consecutive failed simulations after which the node is considered faulty, not the payments. */
const MAX_FAILURES = 16

/**
 * Reads the balances of the charges on a chain, and simulates every payment that is worth its gas.
 *
 * @param options.account - the sender of the simulated payments, which needs no balance
 */
export async function planChain(chain: ExitChain, options: PlanOptions): Promise<ChainPlan | UnreadChain> {
  const problem = findContractsProblem(chain)
  if (problem !== null && options.charges.some(({ family }) => family === chain.family))
    return { chain, problem }
  return tryAgain(
    () => readPlan(chain, options).catch((error: unknown) => ({ chain, problem: describeProblem(error) })),
    (plan) => !('problem' in plan),
  )
}

type PlanOptions = WorthOptions & { readonly charges: readonly ExitCharge[]; readonly account: Address }

async function readPlan(chain: ExitChain, options: PlanOptions): Promise<ChainPlan> {
  const { charges, account } = options
  const survey = await surveyChain(chain, charges)
  const deployed = survey.deployments.filter(({ isDeployed }) => isDeployed).map(({ charge }) => charge)
  const judged = listPayments(survey.holdings).map((payment) => ({
    ...{ payment, reason: findWorthlessReason(payment, options) },
  }))
  const worthwhile = judged.filter(({ reason }) => reason === null).map(({ payment }) => payment)
  const { quotes, failures } = await quoteAll(chain, { payments: worthwhile, account })
  return {
    ...survey,
    problems: [...survey.problems, ...failures],
    skipped: judged.flatMap(({ payment, reason }) => (reason === null ? [] : [{ ...payment, reason }])),
    // These sums are only shown to the user, so a node without logs must not prevent payments.
    distributed: await readDistributed(chain.client, deployed).catch(() => null),
    payable: quotes.filter((quote): quote is QuotedPayment => !('reason' in quote)),
    blocked: quotes.filter((quote): quote is BlockedPayment => 'reason' in quote),
  }
}

/** Returns the error's text without the node's URL, which might contain a key. viem's full message contains the URL. */
export function describeProblem(error: unknown): string {
  if (error instanceof BaseError) return cleanText(error.shortMessage)
  return cleanText(error instanceof Error ? error.message : String(error))
}

/**
 * Without the factory, no split can be created. The command never deploys a missing factory, because a malicious node
 * could report that an existing factory is missing.
 */
function findContractsProblem({ contracts }: ExitChain): string | null {
  if (contracts === 'match') return null
  if (contracts === 'missing')
    return 'the factory does not exist there; anyone can deploy it (docs/contracts.md)'
  return `the contracts there could not be matched with this release: ${contracts}`
}

type Quotes = {
  readonly quotes: readonly (QuotedPayment | BlockedPayment)[]
  /** One sentence per payment that could not be simulated. */
  readonly failures: readonly string[]
}

/**
 * A hostile recipient of native coin can make the node fail during a simulation, which must not prevent other payments.
 *
 * @throws {BaseError} from viem if the node returns no result for all payments, or for 16 in a row
 */
async function quoteAll(
  chain: ExitChain,
  { payments, account }: { readonly payments: readonly Payment[]; readonly account: Address },
): Promise<Quotes> {
  const sender = SENDERS_BY_FAMILY[chain.family](chain)
  const quotes: (QuotedPayment | BlockedPayment)[] = []
  const failures: string[] = []
  let inRow = 0
  for (let from = 0; from < payments.length; from += CONCURRENT_QUOTES) {
    const turn = payments.slice(from, from + CONCURRENT_QUOTES)
    const results = await Promise.allSettled(turn.map((payment) => sender.quote(payment, account)))
    for (const [index, result] of results.entries()) {
      inRow = result.status === 'rejected' ? inRow + 1 : 0
      if (result.status === 'fulfilled') quotes.push(result.value)
      else if (inRow >= Math.min(MAX_FAILURES, payments.length)) throw result.reason
      else
        failures.push(`${describeCharge(turn[index])} was not simulated: ${describeProblem(result.reason)}`)
    }
  }
  return { quotes, failures }
}

function describeCharge(payment: Payment | undefined): string {
  return `${payment?.token.symbol} of ${payment?.charge.id}`
}
