import { type Address, formatUnits } from 'viem'

import { requireData } from '../../api/client/client.ts'
import type { ChargeUpdate } from '../../api/client/follow-charge.ts'
import type { Schema } from '../../api/client/schema.ts'
import { SETTLED, waitForCharge } from '../../api/client/wait-for-charge.ts'
import { createApiCaller } from './call-api.ts'
import { balanceOf, findToken, type LivePair, sendTokens } from './send-tokens.ts'
import type { DevnetDescription } from './write-description.ts'

/** Timeout of a charge's payment and settlement, which take about 10 s, or about 30 s on TRON. */
const SETTLED_WITHIN_MS = 180_000

const USDC_ON_BASE: LivePair = { token: 'USDC', network: 'base' }
const USDC_ON_BNB: LivePair = { token: 'USDC', network: 'bnb' }

/** Creates a charge, and pays it with one transfer. */
export async function paySimply(devnet: DevnetDescription): Promise<void> {
  console.log('\n1. A charge of 25 USD, paid in USDC on base')
  await pay(devnet, { amount: 25, parts: [{ ...USDC_ON_BASE, amount: '25' }] })
}

/** Creates a charge, and pays half on base and half on bnb, whose USDC has 18 decimals. */
export async function payInTwoTokens(devnet: DevnetDescription): Promise<void> {
  console.log(
    '\n2. A charge of 99.5 USD, paid half in USDC on base and half in USDC on bnb, which has 18 decimals',
  )
  const parts = [
    { ...USDC_ON_BASE, amount: '49.75' },
    { ...USDC_ON_BNB, amount: '49.75' },
  ]
  await pay(devnet, { amount: 99.5, parts })
}

type Payment = {
  readonly amount: number
  readonly parts: readonly (LivePair & { readonly amount: string })[]
}

async function pay(devnet: DevnetDescription, { amount, parts }: Payment): Promise<void> {
  await payAndTell(devnet, {
    amount,
    acceptedPayments: parts.map(({ token, network }) => ({ token, network })),
    send: async (charge) => {
      for (const part of parts) {
        step('paying', `${part.amount} ${part.token} on ${part.network} with an ordinary ERC-20 transfer`)
        await sendTokens(devnet, { ...part, from: devnet.accounts.payer, to: charge.address as Address })
      }
    },
  })
}

/** Creates and pays a charge. Prints its events until settlement, and then the received amounts on EVM networks. */
export async function payAndTell(
  devnet: DevnetDescription,
  payment: {
    readonly amount: number
    readonly acceptedPayments: readonly LivePair[]
    readonly send: (charge: Schema<'Charge'>) => Promise<void>
  },
): Promise<void> {
  const { amount, send } = payment
  const acceptedPayments = [...payment.acceptedPayments]
  const body = { amount, acceptedPayments, expiresIn: 600 }
  const charge = await requireData(createApiCaller(devnet).POST('/v1/charges', { body }))
  step('created', `${charge.id}, to be paid to ${charge.address}`)
  const before = await holdings(devnet, acceptedPayments)
  const onNews = createTeller()
  const isSettled = waitForCharge(createApiCaller(devnet), charge.id, {
    ...SETTLED,
    timeoutMs: SETTLED_WITHIN_MS,
    onNews,
  })
  // `await isSettled` throws any error. Until then, an unhandled rejection must not end the process.
  isSettled.catch(() => undefined)
  await send(charge)
  await isSettled
  await tellWhoReceived(devnet, before)
}

/** Creates the function that prints each event of a charge once. */
function createTeller(): (news: ChargeUpdate) => void {
  const seen = new Map<string, number>()
  let last = 'pending'
  return (news) => {
    if (news.kind === 'charge') {
      tellCharge(news.charge, last)
      last = news.charge.status
      return
    }
    const { network, blocksSeen, blocksRequired } = news.progress
    if (!seen.has(network)) step('seen', `a payment on ${network}`)
    // After a credit, the stream repeats the last progress.
    if (seen.get(network) === blocksSeen) return
    seen.set(network, blocksSeen)
    step('confirming', `${blocksSeen} of ${blocksRequired} blocks on ${network}`)
  }
}

function tellCharge(charge: Schema<'Charge'>, last: string): void {
  const { status, settlementStatus, amountReceivedExact, amountExact } = charge
  if (status !== last) step(status, `${amountReceivedExact} of ${amountExact} USD`)
  if (settlementStatus === 'completed') step('settled', 'the payout is at confirmation depth')
}

type Holding = LivePair & { readonly who: string; readonly account: Address; readonly atomic: bigint }

async function holdings(devnet: DevnetDescription, pairs: readonly LivePair[]): Promise<readonly Holding[]> {
  const { merchant, treasury, relayer } = devnet.accounts
  const everyone = [
    { who: 'the merchant', account: merchant.address },
    { who: 'the service (its fee)', account: treasury.address },
    { who: 'the relayer (for distributing)', account: relayer.address },
  ]
  // On TRON the merchant has another account, whose balance `demo-tron.ts` prints.
  const onEvm = pairs.filter(({ network }) => network !== 'tron')
  const wanted = onEvm.flatMap((pair) => everyone.map((one) => ({ ...pair, ...one })))
  return Promise.all(wanted.map(async (one) => ({ ...one, atomic: await balanceOf(devnet, one) })))
}

async function tellWhoReceived(devnet: DevnetDescription, before: readonly Holding[]): Promise<void> {
  for (const { atomic, ...holding } of before) {
    const received = (await balanceOf(devnet, holding)) - atomic
    const { token } = findToken(devnet, holding)
    const amount = formatUnits(received, token.decimals)
    if (received > 0n) step('received', `${amount} ${holding.token} on ${holding.network} by ${holding.who}`)
  }
}

/** Prints a step of the demo. */
export function step(action: string, detail: string): void {
  console.log(`   ${action.padEnd(14)} ${detail}`)
}
