import { queryQuorum } from '../../../shared/chain/nodes/query-nodes.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import type { ExitChain } from './exit-chain.ts'
import { getPaymentKey, listPayments, type Payment } from './payment.ts'
import { surveyChain } from './survey-chain.ts'
import { tryAgain } from './try-again.ts'

/** Outcome of payments, as reported by a majority of the chain's hosts. */
export type PaymentCheck = {
  /** Payments whose money is still in the split. */
  readonly unpaid: readonly Payment[]
  /** New or increased shares that the splits hold, because their recipients could not be paid. */
  readonly held: readonly Payment[]
  /** Hosts of the nodes that agree on this outcome. */
  readonly nodes: readonly string[]
}

type Sent = {
  /** Payments to check, including those whose transaction was not sent. */
  readonly payments: readonly Payment[]
  /** Everything that the splits could pay before: distributions and held shares. */
  readonly before: readonly Payment[]
  /** Pause before the balances are read again; two seconds by default. */
  readonly pauseMs?: number | undefined
}

/**
 * Checks payments by reading the balances of their charges. A single node might report transactions that were never
 * mined, so a majority of the chain's hosts must agree.
 *
 * Reads up to three times until every payment is paid, because nodes might be some seconds behind.
 *
 * @returns `null` if no majority agrees
 */
export function checkPayments(chain: ExitChain, sent: Sent): Promise<PaymentCheck | null> {
  return tryAgain(
    () => readCheck(chain, sent),
    (check) => check !== null && check.unpaid.length === 0,
    sent,
  )
}

async function readCheck(chain: ExitChain, sent: Sent): Promise<PaymentCheck | null> {
  const verdict = await queryQuorum(chain.nodes, {
    read: async ({ client }) => compare(await listLeft({ ...chain, client }, sent.payments), sent),
    toText: ({ unpaid, held }) => JSON.stringify([unpaid.map(getPaymentKey), held.map(describeAmount)]),
  })
  if (verdict.outcome !== 'agreed') return null
  return { ...verdict.agreed.value, nodes: verdict.agreed.by }
}

/** @throws {Error} if a token does not return a balance, because the outcome is then unknown */
async function listLeft(chain: ExitChain, payments: readonly Payment[]): Promise<readonly Payment[]> {
  const used = new Set(payments.map(({ token }) => token.address))
  const tokens = chain.tokens.filter(({ address }) => used.has(address))
  const charges = [...new Set(payments.map(({ charge }) => charge))]
  const { holdings, problems } = await surveyChain(
    { ...chain, tokens, hasCoin: used.has(NATIVE_COIN) },
    charges,
  )
  const [problem] = problems
  if (problem !== undefined) throw new Error(problem)
  return listPayments(holdings)
}

/**
 * A payment counts as unpaid only if at least its amount is left. A smaller amount is a new payment to the charge.
 */
function compare(left: readonly Payment[], { payments, before }: Sent): Omit<PaymentCheck, 'nodes'> {
  const amounts = new Map(left.map((payment) => [getPaymentKey(payment), payment.amount]))
  const earlier = new Map(before.map((payment) => [getPaymentKey(payment), payment.amount]))
  return {
    unpaid: payments.filter((payment) => (amounts.get(getPaymentKey(payment)) ?? 0n) >= payment.amount),
    held: left.filter(
      (payment) => payment.recipient !== null && payment.amount > (earlier.get(getPaymentKey(payment)) ?? 0n),
    ),
  }
}

function describeAmount(payment: Payment): string {
  return `${getPaymentKey(payment)} ${payment.amount}`
}
