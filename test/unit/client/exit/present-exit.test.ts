import { expect } from 'chai'
import type { ExitReport } from '../../../../api/client/exit/describe-exit.ts'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { presentExit } from '../../../../api/client/exit/present-exit.ts'
import type { SendOutcome } from '../../../../api/client/exit/send-plan.ts'
import { addressOfByte, buildCharge } from '../../../support/checked-charges.ts'

describe('the JSON of an exit', () => {
  const charge = parseExitCharge(buildCharge({}))
  const token = { symbol: 'USDC', address: addressOfByte('cc'), decimals: 6 }
  const chain = { name: 'base', chainId: 8453, coin: token }
  const unpaid = { charge, token, amount: 1n, recipient: null, to: charge.factory, data: '0x' as const }

  it('contains the skipped, blocked and made payments, and the problems', () => {
    const plan = {
      ...{ chain, holdings: [], distributed: [], payable: [], problems: ['USDT did not return a balance'] },
      skipped: [{ ...unpaid, reason: 'below --minimum' }],
      blocked: [{ ...unpaid, reason: 'AllPayoutsFailed' }],
    }
    const outcome = {
      chain,
      sent: [],
      paid: [unpaid],
      held: [],
      nodes: [],
      problems: ['base: the key has no coin'],
    }
    const { chains, problems, paid, unread } = present([plan], outcome)
    const { skipped, blocked } = chains[0] ?? {}
    const named = { charge: charge.id, token: 'USDC' }
    expect(skipped).to.deep.equal([{ ...named, reason: 'below --minimum' }])
    expect(blocked).to.deep.equal([{ ...named, reason: 'AllPayoutsFailed' }])
    expect(problems).to.deep.equal(['base: the key has no coin'])
    expect(paid).to.deep.equal([{ ...named, chain: 'base', amount: '0.000001', recipient: null }])
    expect(unread).to.deep.equal([{ chain: 'base', problem: 'USDT did not return a balance' }])
  })

  function present(plans: readonly unknown[], outcome: unknown) {
    const report = {
      archive: { charges: [charge], rejected: [], rejectedCount: 0, otherCount: 0 },
      ...{ charges: [charge], skipped: [], payouts: new Map(), escrowSplits: [], maxCosts: new Map() },
      ...{ plans, unread: [], silent: [] },
    } as unknown as ExitReport
    return JSON.parse(presentExit(report, [outcome as SendOutcome])) as {
      readonly chains: readonly { readonly skipped: unknown; readonly blocked: unknown }[]
      readonly problems: unknown
      readonly paid: unknown
      readonly unread: unknown
    }
  }
})
