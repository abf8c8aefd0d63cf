import { queryQuorum } from '../../../shared/chain/nodes/query-nodes.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import type { ExitChain } from './exit-chain.ts'
import { getPaymentKey, listPayments, type Payment } from './payment.ts'
import { surveyChain } from './survey-chain.ts'
import { tryAgain } from './try-again.ts'

/** The result of payments, as reported by a majority of the given nodes. */
export type PaymentCheck = {
  /** Payments whose money is still in the split. */
  readonly unpaid: readonly Payment[]
  /** Shares that a split has held since these payments were sent, because it could not pay their recipients. */
  readonly held: readonly Payment[]
  /** Hosts of the nodes that agree. */
  readonly nodes: readonly string[]
}

type Sent = {
  /** Payments that were sent or that should have been sent. */
  readonly payments: readonly Payment[]
  /** All payments and held shares before these payments were sent, even those that were not sent. */
  readonly before: readonly Payment[]
  /** Pause before the balances are read again, by default two seconds. */
  readonly pauseMs?: number | undefined
}

/**
 * Reads the balances of payments' charges again. A single node might report transactions that were never mined, so a
 * majority of the chain's nodes must agree.
 *
 * A node might be some seconds behind, so the balances are read up to three times, until no payment is unpaid.
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

/** @throws {Error} if a token does not return a balance, because then the result is unknown */
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
 * Finds the unpaid payments, and the shares that the splits have held since. A payment is unpaid only if at least its
 * amount is left, because a new payment to the same charge might arrive in the meantime.
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
