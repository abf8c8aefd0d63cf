import { parseUnits } from 'viem'
import { requireData } from '../../../api/client/client.ts'
import type { Schema } from '../../../api/client/schema.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { pairKey } from '../../../shared/domain/networks.ts'
import { createApiCaller } from '../../devnet/call-api.ts'
import { mapAtMost } from '../map-at-most.ts'
import { addressOf, splitOf } from '../random-terms.ts'
import { addAmount, addFigure, type Figures } from './figures.ts'
import type { StoryContext } from './open-charge.ts'

type Charge = Schema<'Charge'>
type PairAccounting = Schema<'PairAccounting'>

/** Sums over the responses for all charges, in 10^-18 dollars. */
export type AnsweredTotals = { readonly received: bigint; readonly net: bigint; readonly charged: bigint }

const AT_ONCE = 8

/** Returns the figures of charges according to `GET /v1/charges/{id}/accounting`, and their sums in dollars. */
export async function readAnswerFigures(
  charges: readonly Charge[],
  { shop: { devnet }, chains }: Pick<StoryContext, 'shop' | 'chains'>,
): Promise<{ readonly figures: Figures; readonly totals: AnsweredTotals }> {
  const figures: Figures = new Map()
  const totals = new Map<string, bigint>()
  const api = createApiCaller(devnet.description)
  await mapAtMost(AT_ONCE, charges, async (charge) => {
    const params = { path: { id: charge.id } }
    const answer = await requireData(api.GET('/v1/charges/{id}/accounting', { params }))
    for (const pair of answer.pairs) addPair(figures, { charge, pair, decimals: decimalsOf(chains, pair) })
    addAmount(totals, 'received', parseUnits(answer.receivedExact, 18))
    addAmount(totals, 'net', parseUnits(answer.netExact, 18))
    addAmount(totals, 'charged', parseUnits(answer.feeExact, 18) + parseUnits(answer.incentiveExact, 18))
  })
  const total = (name: keyof AnsweredTotals) => totals.get(name) ?? 0n
  return {
    figures,
    totals: { received: total('received'), net: total('net'), charged: total('charged') },
  }
}

/** Returns the token's decimals. The response has more decimals if less than a unit of the token moved. */
function decimalsOf(chains: StoryContext['chains'], { network }: PairAccounting): number {
  return chains.find((chain) => chain.network === network)?.decimals ?? 0
}

type Answered = { readonly charge: Charge; readonly pair: PairAccounting; readonly decimals: number }

function addPair(figures: Figures, { charge, pair, decimals }: Answered): void {
  const scaleOf = (digits: number) => 10n ** BigInt(18 - digits)
  const add = (what: string, amountAtto: bigint) =>
    addFigure(figures, { chargeId: charge.id, pair: pairKey(pair), what }, amountAtto)
  const read = (amount: string) => BigInt(amount) * scaleOf(pair.decimals)
  add('received', read(pair.receivedAtomic))
  add('refunded', read(pair.escrowRefundedAtomic))
  add('uncredited', read(pair.uncreditedAtomic))
  for (const left of [pair.pendingAtomic, pair.heldAtomic, pair.roundingAtomic]) add('left', read(left))
  for (const { address, amountAtomic } of pair.shares) add(`paid ${addressOf(address)}`, read(amountAtomic))
  for (const { distributor, incentiveToDistributor, amountAtomic } of pair.payouts) {
    if (distributor === null || !incentiveToDistributor) continue
    const amount = atomic(read(amountAtomic) / scaleOf(decimals))
    const { incentive } = distribute({ amount, split: splitOf({ charge }) })
    add(`paid ${addressOf(distributor)}`, incentive * scaleOf(decimals))
  }
}
