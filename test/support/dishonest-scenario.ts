import type { Hex } from 'viem'
import type { Pair } from '../../shared/domain/networks.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { findToken, sendTokens } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import type { DishonestNode } from './dishonest-node/dishonest-node.ts'
import type { Lie } from './dishonest-node/lie.ts'
import {
  changeAmount,
  changeSender,
  changeTime,
  combineLies,
  hideTransfers,
  inventDistribution,
  inventTransfer,
  STRANGER,
} from './dishonest-node/lies.ts'
import { CONFIRMED, createEscrow, type EscrowChargeJson, waitForEscrow } from './escrow-scenario.ts'
import { type ChargeJson, createCharge, pay, query, SETTLED_WITHIN_MS, waitUntilSettled } from './scenario.ts'

/** A chain with two nodes, of which `liar` reports false data. */
export type Side = {
  readonly liar: 'first' | 'second'
  readonly pair: Pair & { readonly network: 'base' | 'bnb' }
  readonly node: () => DishonestNode
}

/** Charges that the liar reports incorrectly, each in another way, and `plain`. Each is for 10 dollars if not noted. */
export type Victims = {
  /** For 25,000 dollars, and never paid; the liar shows a payment of the whole amount. */
  readonly invented: ChargeJson
  /** Paid; the liar shows a distribution. */
  readonly distributed: ChargeJson
  /** Paid; the liar shows a millionth of a dollar. */
  readonly shrunk: ChargeJson
  /** Paid; the liar shows another sender. */
  readonly resent: ChargeJson
  /** Paid only if `isThorough`; the liar shows a time after the deadline. */
  readonly misdated: ChargeJson
  /** Paid; the liar shows no transfer. */
  readonly hidden: ChargeJson
  /** Paid; the liar shows transfers of a fee and a refund from the Safe. */
  readonly escrow: EscrowChargeJson
  /** Paid, and shown correctly by both nodes. */
  readonly plain: ChargeJson
}

export type Lies = Victims & {
  /** Hash of the real transaction to which the liar adds forged logs. */
  readonly txHash: Hex
}

const DAY_SECONDS = 86_400
const ELSEWHERE = `0x${'5b'.repeat(20)}` as const

/**
 * Creates the charges of one chain, has `side.node` lie about them, and pays all except `invented` and `misdated`.
 * Resolves when the plain charge is settled.
 *
 * @param isThorough - whether to pay `misdated` too and wait for a whole reconciliation. This takes a minute more,
 * because the feed stalls at the block with the false timestamp
 */
export async function lieAndPay(
  devnet: Devnet,
  side: Side,
  { isThorough }: { readonly isThorough: boolean },
): Promise<Lies> {
  const { pair } = side
  const victims = await createVictims(devnet, pair)
  const { escrow, distributed, shrunk, resent, misdated, hidden, plain } = victims
  for (const charge of [escrow, distributed]) await pay(devnet, { charge, pair })
  for (const { id } of [escrow, distributed]) await waitForEscrow(devnet, id, CONFIRMED)
  const unit = 10n ** BigInt(findToken(devnet.description, pair).token.decimals)
  await side.node().setFault({ type: 'lies', lie: lieAbout(devnet, victims, unit) })
  const txHash = await payStranger(devnet, pair)
  const paid = [shrunk, resent, ...(isThorough ? [misdated] : []), hidden, plain]
  for (const charge of paid) await pay(devnet, { charge, pair })
  await waitUntilSettled(devnet, plain.id)
  if (isThorough) await untilReconciled(devnet, pair)
  return { ...victims, txHash }
}

async function createVictims(devnet: Devnet, pair: Pair): Promise<Victims> {
  const terms = { acceptedPayments: [pair] }
  const create = (amount = 10) => createCharge(devnet, { ...terms, amount })
  return {
    ...{ invented: await create(25_000), distributed: await create(), shrunk: await create() },
    ...{ resent: await create(), misdated: await create(), hidden: await create(), plain: await create() },
    escrow: await createEscrow(devnet, terms),
  }
}

/** @param unit - one whole token, in atomic units */
function lieAbout(devnet: Devnet, victims: Victims, unit: bigint): Lie {
  const { payer, payer2, keeper } = devnet.description.accounts
  const { invented, distributed, escrow } = victims
  const from = escrow.address
  return combineLies([
    inventTransfer({ from: payer.address, to: invented.address, valueAtomic: 25_000n * unit }),
    inventDistribution({
      ...{ split: distributed.address, distributor: keeper.address, amountAtomic: 10n * unit },
    }),
    inventTransfer({ from, to: ELSEWHERE, valueAtomic: unit / 100n }),
    inventTransfer({ from, to: payer.address, valueAtomic: 10n * unit }),
    changeAmount(victims.shrunk.address, unit / 1_000_000n),
    changeSender(victims.resent.address, payer2.address),
    changeTime(victims.misdated.address, DAY_SECONDS),
    hideTransfers(victims.hidden.address),
    { revertsCalls: true },
  ])
}

function payStranger({ description }: Devnet, pair: Pair) {
  return sendTokens(description, { ...pair, from: description.accounts.payer, to: STRANGER, amount: '1' })
}

/** Waits until a chain's reconciliation has started twice from now on. By then the first of the two has ended. */
async function untilReconciled(devnet: Devnet, { network }: Side['pair']): Promise<void> {
  const chainId = devnet.description.networks[network]?.live?.chainId ?? 0
  const nextAttemptAt = () =>
    query(devnet, async (sql) => {
      const [row] = await sql<{ nextAttemptAt: Date }[]>`
        select next_attempt_at from reconciliations where chain_id = ${chainId}`
      return row?.nextAttemptAt.getTime() ?? 0
    })
  for (let begun = 0; begun < 2; begun += 1) {
    const before = await nextAttemptAt()
    await waitFor(async () => (await nextAttemptAt()) !== before, {
      ...{ what: 'a reconciliation to start', timeoutMs: SETTLED_WITHIN_MS, intervalMs: 250 },
    })
  }
}
