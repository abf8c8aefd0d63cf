import { type Address, formatUnits } from 'viem'

import { callApi, streamEvents } from './call-api.ts'
import type { DevnetDescription } from './devnet.ts'
import { balanceOf, findToken, type LivePair, sendTokens } from './send-tokens.ts'

/** What the demo reads of a charge. */
type Charge = {
  readonly id: string
  readonly address: Address
  readonly amountExact: string
  readonly amountReceivedExact: string | null
  readonly status: string
  readonly settlementStatus: string | null
}

type Progress = { readonly network: string; readonly blocksSeen: number; readonly blocksRequired: number }

/** From the payment to the last event; it takes about ten seconds. */
const SETTLED_WITHIN_MS = 60_000

const USDC_ON_BASE: LivePair = { token: 'USDC', network: 'base' }
const USDC_ON_BNB: LivePair = { token: 'USDC', network: 'bnb' }

/** One charge, paid with one transfer. */
export async function paySimply(devnet: DevnetDescription): Promise<void> {
  console.log('\n1. A charge of 25 USD, paid in USDC on base')
  await pay(devnet, { amount: 25, parts: [{ ...USDC_ON_BASE, amount: '25' }] })
}

/** One charge, paid half on one chain and half on another whose token has 18 decimals. */
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
  const caller = { apiUrl: devnet.apiUrl, key: devnet.keys.live }
  const acceptedPayments = parts.map(({ token, network }) => ({ token, network }))
  const charge = await callApi<Charge>(caller, {
    method: 'POST',
    path: '/v1/charges',
    body: { amount, acceptedPayments, expiresIn: 600 },
  })
  step('created', `${charge.id}, to be paid to ${charge.address}`)
  const before = await holdings(devnet, acceptedPayments)
  const isSettled = follow(devnet, charge)
  // Its failure is thrown where it is awaited; until then it must not end the process.
  isSettled.catch(() => undefined)
  for (const part of parts) {
    step('paying', `${part.amount} ${part.token} on ${part.network} with an ordinary ERC-20 transfer`)
    await sendTokens(devnet, { ...part, from: devnet.accounts.payer, to: charge.address })
  }
  await isSettled
  await tellWhoReceived(devnet, before)
}

/** Prints what the charge's stream tells until it is settled. */
async function follow(devnet: DevnetDescription, { id }: Charge): Promise<void> {
  const caller = { apiUrl: devnet.apiUrl, key: devnet.keys.live }
  const progress = new Map<string, number>()
  const events = streamEvents(caller, { path: `/v1/charges/${id}/events`, timeoutMs: SETTLED_WITHIN_MS })
  let last = 'pending'
  for await (const { event, data } of events) {
    if (event === 'confirmation_progress') {
      const { network, blocksSeen, blocksRequired } = data as Progress
      if (!progress.has(network)) step('seen', `a payment on ${network}`)
      // After a credit the stream tells again what it told before.
      if (progress.get(network) === blocksSeen) continue
      progress.set(network, blocksSeen)
      step('confirming', `${blocksSeen} of ${blocksRequired} blocks on ${network}`)
    }
    if (event === 'charge') {
      const charge = data as Charge
      if (charge.status !== last)
        step(charge.status, `${charge.amountReceivedExact} of ${charge.amountExact} USD`)
      last = charge.status
      if (charge.settlementStatus === 'completed') return step('settled', 'the payout is indexed at depth')
      if (charge.settlementStatus === 'failed') throw new Error(`the payout of ${id} failed`)
    }
  }
  throw new Error(`the stream of ${id} ended before it was settled`)
}

type Holding = LivePair & { readonly who: string; readonly account: Address; readonly atomic: bigint }

async function holdings(devnet: DevnetDescription, pairs: readonly LivePair[]): Promise<readonly Holding[]> {
  const { merchant, treasury, relayer } = devnet.accounts
  const everyone = [
    { who: 'the merchant', account: merchant.address },
    { who: 'the service (its fee)', account: treasury.address },
    { who: 'the relayer (for distributing)', account: relayer.address },
  ]
  const wanted = pairs.flatMap((pair) => everyone.map((one) => ({ ...pair, ...one })))
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

function step(what: string, detail: string): void {
  console.log(`   ${what.padEnd(14)} ${detail}`)
}
