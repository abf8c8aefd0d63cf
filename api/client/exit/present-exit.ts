import { presentAddress } from '../../../shared/domain/chain-families/chain-families.ts'
import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { type ExitReport, getMaxCost } from './describe-exit.ts'
import { listEscrows } from './escrow-order.ts'
import type { Payment } from './payment.ts'
import type { ChainPlan } from './plan-chain.ts'
import type { SendOutcome } from './send-plan.ts'
import type { BlockedPayment } from './sender.ts'

/**
 * Returns the report as JSON, with the sent transactions and the typed data that releasers must sign. Amounts are
 * decimal strings such as "1.5", except in `distributed` and the escrow orders, which use atomic units.
 */
export function presentExit(report: ExitReport, outcomes: readonly SendOutcome[]): string {
  const { archive, charges, skipped, plans, unread, silent } = report
  const value = {
    charges: charges.map(({ id }) => id),
    skipped: skipped.map(({ id }) => id),
    rejected: archive.rejected,
    rejectedCount: archive.rejectedCount,
    otherCount: archive.otherCount,
    unread: [
      ...unread.map(({ chain, problem }) => ({ chain: chain.name, problem })),
      ...plans.flatMap(({ chain, problems }) => problems.map((problem) => ({ chain: chain.name, problem }))),
    ],
    silentNodes: silent,
    chains: plans.map((plan) => presentPlan(plan, report)),
    transactions: outcomes.flatMap(({ chain, sent }) =>
      sent.map(({ txHash, payments }) => ({
        ...{ chain: chain.name, txHash },
        charges: payments.map(({ charge }) => charge.id),
      })),
    ),
    paid: outcomes.flatMap(({ chain, paid }) => paid.map((one) => presentPayment(one, chain.name))),
    held: outcomes.flatMap(({ chain, held }) => held.map((one) => presentPayment(one, chain.name))),
    problems: outcomes.flatMap(({ problems }) => problems),
  }
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one), 2)
}

function presentPlan(plan: ChainPlan, { escrowSplits, maxCosts }: ExitReport) {
  const { chain, holdings, distributed, payable, blocked, skipped } = plan
  const escrows = listEscrows(plan, escrowSplits)
  const show = (amount: bigint, { decimals }: { readonly decimals: number }) =>
    formatDecimal(amount, decimals)
  return {
    ...{ chain: chain.name, chainId: chain.chainId },
    holdings: holdings.map((holding) => {
      const { charge, token, distributable, held, inEscrow } = holding
      return {
        ...{ charge: charge.id, token: token.symbol },
        toPayOut: show(distributable, token),
        held: held.map(({ recipient, amount }) => ({
          recipient: presentAddress(recipient, charge.family),
          amount: show(amount, token),
        })),
        inEscrow: show(inEscrow, token),
        escrowOrder: escrows.find((escrow) => escrow.holding === holding)?.order ?? null,
      }
    }),
    distributed,
    payments: payable.length,
    gasCost: show(
      payable.reduce((sum, { cost }) => sum + cost, 0n),
      chain.coin,
    ),
    maxGasCost: show(getMaxCost(plan, maxCosts), chain.coin),
    blocked: blocked.map(presentUnpaid),
    skipped: skipped.map(presentUnpaid),
  }
}

function presentUnpaid({ charge, token, reason }: BlockedPayment) {
  return { charge: charge.id, token: token.symbol, reason }
}

function presentPayment({ charge, token, amount, recipient }: Payment, chain: string) {
  return {
    ...{ charge: charge.id, chain, token: token.symbol, amount: formatDecimal(amount, token.decimals) },
    recipient: recipient === null ? null : presentAddress(recipient, charge.family),
  }
}
