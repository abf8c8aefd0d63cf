import type { PrivateKeyAccount } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { describePayment } from './describe-exit.ts'
import { type ChainPlan, describeProblem } from './plan-chain.ts'
import type { SentBatch } from './sender.ts'
import { SENDERS_BY_FAMILY } from './senders-by-family.ts'

/** The outcome of sending on one chain. */
export type SendOutcome = {
  readonly sent: readonly SentBatch[]
  /** One sentence for each payment that failed. */
  readonly problems: readonly string[]
}

export type SendPlanOptions = {
  readonly account: PrivateKeyAccount
  /** Called with a line per mined transaction. */
  readonly say: (line: string) => void
  /** Called with a line before each wait. */
  readonly wait: (text: string) => void
}

/**
 * Sends all payments of a chain. Repeating it is safe, because a split that was paid out is empty.
 */
export async function sendPlan(
  plan: ChainPlan,
  { account, say, wait }: SendPlanOptions,
): Promise<SendOutcome> {
  const { chain, payable } = plan
  const sent: SentBatch[] = []
  if (payable.length === 0) return { sent, problems: [] }
  const sender = SENDERS_BY_FAMILY[chain.family](chain)
  try {
    const missing = await findMissingFunds(plan, account)
    if (missing !== null) return { sent, problems: [missing] }
    const onSent = (batch: SentBatch) => {
      sent.push(batch)
      say(`${chain.name}: sent ${batch.payments.map(describePayment).join(', ')} in ${batch.txHash}`)
    }
    const onSigned = ({ txHash, payments }: SentBatch) =>
      wait(`${chain.name}: waiting until ${txHash} is mined, with ${payments.length} payments`)
    const blocked = await sender.send({ account, payments: payable, onSigned, onSent })
    const problems = blocked.map((one) => `${chain.name}: ${describePayment(one)}: ${one.reason}`)
    return { sent, problems }
  } catch (error) {
    return { sent, problems: [`${chain.name}: ${describeProblem(error)}`] }
  }
}

async function findMissingFunds(plan: ChainPlan, account: PrivateKeyAccount): Promise<string | null> {
  const { chain, payable } = plan
  const address = account.address.toLowerCase() as Address
  const funds = await SENDERS_BY_FAMILY[chain.family](chain).readFunds(address)
  const cost = payable.reduce((sum, payment) => sum + payment.cost, 0n)
  if (funds >= cost) return null
  const [has, needs] = [funds, cost].map((amount) => formatDecimal(amount, chain.coin.decimals))
  const who = presentAddress(address, chain.family)
  return `${chain.name}: ${who} has ${has} ${chain.coin.symbol} for gas; about ${needs} are needed`
}
