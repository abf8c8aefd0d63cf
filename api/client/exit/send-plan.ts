import type { PrivateKeyAccount } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { checkPayments, type PaymentCheck } from './check-payments.ts'
import { chooseAffordable } from './choose-affordable.ts'
import { createCostLimit } from './cost-limit.ts'
import { describePayment } from './describe-exit.ts'
import type { ExitChain } from './exit-chain.ts'
import { getPaymentKey, listPayments, type Payment } from './payment.ts'
import { type ChainPlan, describeProblem, type UnreadChain } from './plan-chain.ts'
import type { PayoutAddresses } from './select-charges.ts'
import type { QuotedPayment, Sender, SentBatch } from './sender.ts'
import { SENDERS_BY_FAMILY } from './senders-by-family.ts'

export type SendOutcome = {
  readonly chain: ExitChain
  readonly sent: readonly SentBatch[]
  /** Payments whose money has left the split, as reported by a majority of the nodes. */
  readonly paid: readonly Payment[]
  /** Hosts of the nodes that agree on `paid`. */
  readonly nodes: readonly string[]
  /** New or increased shares that the splits hold, because their recipients could not be paid. */
  readonly held: readonly Payment[]
  /** One sentence per unpaid payment and per other failure. */
  readonly problems: readonly string[]
}

export type SendPlanOptions = {
  readonly account: PrivateKeyAccount
  readonly payouts: PayoutAddresses
  /** Maximum total cost, in the smallest unit of the chain's coin. */
  readonly maxCost: bigint
  /** Plans the payments again, because other accounts might have made some since the first plan. */
  readonly planAgain: () => Promise<ChainPlan | UnreadChain>
  /** Pause before the balances of unpaid payments are read again; two seconds by default. */
  readonly pauseMs?: number
  /** Prints a line for each successful transaction. */
  readonly say: (line: string) => void
  /** Prints a line before each wait. */
  readonly wait: (text: string) => void
}

/**
 * Sends the payments of a chain, and then checks them by reading the balances again.
 *
 * First waits until the account's earlier transactions are mined (not on TRON), and plans the payments again. A
 * repeated run is safe, because a payment that was already made reverts.
 */
export async function sendPlan(planned: ChainPlan, options: SendPlanOptions): Promise<SendOutcome> {
  const { chain } = planned
  const attempt: Attempt = { planned, payments: [], sent: [], signed: [], reasons: new Map(), problems: [] }
  if (planned.payable.length === 0) return { chain, sent: [], paid: [], held: [], nodes: [], problems: [] }
  try {
    await attemptPlan(attempt, options)
  } catch (error) {
    attempt.problems.push(describeProblem(error))
  }
  return concludeAttempt(attempt, options)
}

/** The progress of a run. It is kept if an error ends the run. */
type Attempt = {
  planned: ChainPlan
  payments: readonly QuotedPayment[]
  readonly sent: SentBatch[]
  readonly signed: SentBatch[]
  /** Why payments failed, by payment key. */
  readonly reasons: Map<string, string>
  readonly problems: string[]
}

async function attemptPlan(attempt: Attempt, options: SendPlanOptions): Promise<void> {
  const { chain } = attempt.planned
  const { account, maxCost, say, wait } = options
  const sender = SENDERS_BY_FAMILY[chain.family](chain)
  const nonce = await sender.untilIdle(toAddress(account))
  const plan = await options.planAgain()
  if ('problem' in plan) throw new Error(plan.problem)
  attempt.planned = plan
  attempt.payments = await chooseFunded(attempt, { sender, ...options })
  const blocked = await sender.send({
    ...{ account, nonce, payments: attempt.payments },
    costLimit: createCostLimit(maxCost, (amount) => formatCoin(chain, amount)),
    onSigned: (batch) => {
      attempt.signed.push(batch)
      wait(`${chain.name}: waiting until ${batch.txHash} is mined, with ${batch.payments.length} payments`)
    },
    onSent: (batch) => {
      attempt.sent.push(batch)
      say(`${chain.name}: sent ${batch.payments.map(describePayment).join(', ')} in ${batch.txHash}`)
    },
  })
  for (const payment of blocked) attempt.reasons.set(getPaymentKey(payment), payment.reason)
}

async function chooseFunded(
  { planned, problems }: Attempt,
  { sender, account, payouts }: Pick<SendPlanOptions, 'account' | 'payouts'> & { readonly sender: Sender },
): Promise<readonly QuotedPayment[]> {
  const { chain, payable } = planned
  const funds = await sender.readFunds(toAddress(account))
  const cost = payable.reduce((sum, payment) => sum + payment.cost, 0n)
  const chosen = chooseAffordable(payable, { funds, payouts })
  if (chosen.length < payable.length)
    problems.push(
      `${presentAddress(toAddress(account), chain.family)} has ${formatCoin(chain, funds)} for gas; all payments need about ${formatCoin(chain, cost)}`,
    )
  return chosen
}

async function concludeAttempt(attempt: Attempt, { wait, pauseMs }: SendPlanOptions): Promise<SendOutcome> {
  const { planned, payments, sent, problems } = attempt
  const { chain } = planned
  if (payments.length > 0) wait(`${chain.name}: reading the balances of ${payments.length} payments again`)
  const check = await checkAttempt(attempt, pauseMs)
  const unpaid = check?.unpaid ?? payments
  const lines = [...problems, ...unpaid.map((payment) => describeUnpaid(payment, { attempt, check }))]
  return {
    ...{ chain, sent, held: check?.held ?? [], nodes: check?.nodes ?? [] },
    problems: lines.map((line) => `${chain.name}: ${line}`),
    paid: payments.filter((payment) => !unpaid.includes(payment)),
  }
}

async function checkAttempt(
  { planned, payments, problems }: Attempt,
  pauseMs: number | undefined,
): Promise<PaymentCheck | null> {
  if (payments.length === 0) return null
  const before = listPayments(planned.holdings)
  const check = await checkPayments(planned.chain, { payments, before, pauseMs })
  if (check === null)
    problems.push(
      `the payments could not be verified with the required number of hosts, ${planned.chain.nodes.quorum}: run the command again`,
    )
  return check
}

function describeUnpaid(
  payment: Payment,
  { attempt, check }: { readonly attempt: Attempt; readonly check: PaymentCheck | null },
): string {
  const key = getPaymentKey(payment)
  const batch = attempt.signed.findLast(({ payments }) => payments.some((one) => getPaymentKey(one) === key))
  const isMined = attempt.sent.some(({ txHash }) => txHash === batch?.txHash)
  const reason = attempt.reasons.get(key) ?? (batch === undefined ? 'it was not sent' : null)
  const where = `its transaction is ${batch?.txHash}`
  if (reason !== null) return `${describePayment(payment)}: ${reason}`
  if (check === null) return `${describePayment(payment)}: unknown whether it is paid; ${where}`
  const seen = isMined ? 'a node reports that it is mined, but' : 'no node reported that it is mined, and'
  return `${describePayment(payment)}: ${where}, ${seen} the money is still there`
}

function toAddress({ address }: PrivateKeyAccount): Address {
  return address.toLowerCase() as Address
}

function formatCoin({ coin }: ExitChain, amount: bigint): string {
  return `${formatDecimal(amount, coin.decimals)} ${coin.symbol}`
}
