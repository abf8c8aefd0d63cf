import { parseUnits } from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { ANY_DISTRIBUTOR } from '../../../shared/domain/distribution-call.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import { CONFIRMED, prepareAndOrder, REFUNDED, transferDirectly, waitForEscrow } from '../escrow-scenario.ts'
import { mapAtMost } from '../map-at-most.ts'
import { addressOf } from '../random-terms.ts'
import { expireAt } from '../scenario.ts'
import type { MoneyChain } from './money-chain.ts'
import { openCharge, type StoryContext, type ToldCharge } from './open-charge.ts'
import type { Part, ToldStory } from './stories.ts'

/** Maximum number of concurrent requests. */
const AT_ONCE = 8

const RELEASED = {
  what: 'released',
  holds: ({ escrow }: { escrow: { releasedAt: string | null } }) => escrow.releasedAt !== null,
}

/** A payment to send. Its amount is a whole number of the chain's units. */
type Payment = {
  readonly to: string
  readonly pair: Pair
  readonly payer: Address
  readonly amountAtto: bigint
}

/**
 * Creates a charge for each story and runs the stories: charges are paid, distributed, released, refunded, and paid
 * again after their end. Does not wait until the service has paid everything out.
 */
export async function runStories(
  stories: readonly ToldStory[],
  context: StoryContext,
): Promise<readonly ToldCharge[]> {
  const told = await mapAtMost(AT_ONCE, stories, (story) => openCharge(story, context))
  await restrict(context, [context.shop.delayedPartner.address, context.shop.lostPartner.address], true)
  await payWhileMerchantIsRestricted(told, context)
  const others = told.filter(({ story }) => story.held !== 'merchant')
  const isDistributed = ({ story }: ToldCharge) => story.distributor !== undefined
  await payInTime(others.filter(isDistributed), context)
  await payInTime(
    others.filter((one) => !isDistributed(one)),
    context,
  )
  const [ordered, onChain] = divideEscrows(told)
  await mapAtMost(AT_ONCE, ordered, (one) => endEscrow(one, context))
  // One after another, because the releaser's transactions need consecutive nonces.
  await mapAtMost(1, onChain, (one) => endEscrow(one, context))
  await payLate(told, context)
  return told
}

/** Makes the issuers restrict accounts, or allow them again. */
export async function restrict(
  { chains }: Pick<StoryContext, 'chains'>,
  accounts: readonly Address[],
  isRestricted: boolean,
): Promise<void> {
  for (const chain of chains.filter(({ restrictable }) => restrictable !== null)) {
    for (const account of accounts) await chain.restrict(account, isRestricted)
    await chain.untilMined()
  }
}

/** Pays the held shares of the delayed partner and of the merchant, which are no longer restricted. */
export async function releaseHeld(told: readonly ToldCharge[], context: StoryContext): Promise<void> {
  const { chains, shop } = context
  for (const { story, charge } of told) {
    const [pair] = charge.acceptedPayments
    const recipient = story.held === 'merchant' ? shop.merchant : shop.delayedPartner.address
    if (story.held === undefined || story.held === 'lost' || pair === undefined) continue
    await getChain(chains, pair).release({ charge, token: pair.token, recipient })
  }
  await untilMined(context)
}

/**
 * Pays and distributes the charges whose merchant's share must be held, while the issuers restrict the merchant. No
 * other charge of the merchant is paid during this time.
 */
async function payWhileMerchantIsRestricted(
  told: readonly ToldCharge[],
  context: StoryContext,
): Promise<void> {
  const held = told.filter(({ story }) => story.held === 'merchant')
  await restrict(context, [context.shop.merchant], true)
  await payInTime(held, context)
  await restrict(context, [context.shop.merchant], false)
}

/**
 * Pays charges, and distributes them on each chain as soon as the payments there are mined, so that keepers act before
 * the service does.
 */
async function payInTime(told: readonly ToldCharge[], context: StoryContext): Promise<void> {
  const payments = told.flatMap((one) => [
    ...listPayments(one, one.story.inTime, context),
    ...listStray(one, context),
  ])
  await Promise.all(
    context.chains.map(async (chain) => {
      await payOn(chain, payments)
      for (const one of told)
        if (one.charge.acceptedPayments[0]?.network === chain.network) await distribute(one, context)
      await chain.untilMined()
    }),
  )
}

/**
 * Sets the deadlines of all charges to now, and makes the late payments. A charge that was paid in time is already
 * confirmed, and stays confirmed.
 */
async function payLate(told: readonly ToldCharge[], context: StoryContext): Promise<void> {
  const ids = told.map(({ charge }) => charge.id)
  await expireAt(context.shop.devnet, { ids, seconds: BigInt(Math.floor(Date.now() / 1000)) })
  await payAll(
    told.flatMap((one) => listPayments(one, one.story.late, context)),
    context,
  )
}

async function payAll(payments: readonly Payment[], { chains }: StoryContext): Promise<void> {
  await Promise.all(chains.map((chain) => payOn(chain, payments)))
}

async function payOn(chain: MoneyChain, payments: readonly Payment[]): Promise<void> {
  for (const { pair, ...payment } of payments.filter((one) => one.pair.network === chain.network))
    await chain.pay({ ...payment, token: pair.token })
  await chain.untilMined()
}

function listPayments(
  told: ToldCharge,
  pay: ToldStory['inTime'],
  { random, chains }: StoryContext,
): readonly Payment[] {
  const { amountExact, acceptedPayments } = told.charge
  const parts: readonly Part[] = pay?.(parseUnits(amountExact ?? '0', 18), random) ?? []
  return parts.map(({ amountAtto, pair: index }) => {
    const pair = acceptedPayments[index] as Pair
    const { unitAtto, payers } = getChain(chains, pair)
    const whole = amountAtto - (amountAtto % unitAtto)
    return { to: told.charge.address, pair, payer: random.pick(payers), amountAtto: whole }
  })
}

/**
 * Lists a story's transfer that does not count as a payment, if it has one: in a token that the charge does not accept,
 * or directly to the split of an escrow charge.
 */
function listStray({ story, charge }: ToldCharge, { random, chains }: StoryContext): readonly Payment[] {
  const { acceptedPayments, address, addressTerms } = charge
  const [pair] = acceptedPayments
  const chain = chains.find(({ network }) => network === pair?.network)
  const other = chain?.tokens.find((token) => acceptedPayments.every((accepted) => accepted.token !== token))
  const token =
    story.isSplitPaid === true ? pair?.token : story.isPaidInWrongPair === true ? other : undefined
  if (chain === undefined || token === undefined) return []
  const { strayPayer: payer, network } = chain
  const to = story.isSplitPaid === true ? addressTerms.splitAddress : address
  return [{ to, pair: { token, network }, payer, amountAtto: BigInt(1 + random.integer(50)) * 10n ** 18n }]
}

async function distribute({ story, charge }: ToldCharge, context: StoryContext): Promise<void> {
  const [pair] = charge.acceptedPayments
  if (story.distributor === undefined || pair === undefined) return
  const { shop, chains } = context
  const names = { keeper: shop.keeper, merchant: shop.merchant, nobody: ANY_DISTRIBUTOR }
  const distributor =
    story.distributor === 'split' ? addressOf(charge.addressTerms.splitAddress) : names[story.distributor]
  await getChain(chains, pair).distribute({ charge, token: pair.token, distributor })
}

function divideEscrows(told: readonly ToldCharge[]) {
  const ending = told.filter(({ story: { escrow } }) => escrow !== undefined && escrow !== 'keep')
  const isOnChain = ({ story: { escrow } }: ToldCharge) => escrow?.endsWith('on chain') === true
  return [ending.filter((one) => !isOnChain(one)), ending.filter(isOnChain)] as const
}

async function endEscrow({ story: { escrow }, charge }: ToldCharge, { shop }: StoryContext): Promise<void> {
  const { devnet } = shop
  const paid = await waitForEscrow(devnet, charge.id, CONFIRMED)
  const action = escrow?.startsWith('release') === true ? 'release' : 'refund'
  if (escrow?.endsWith('on chain') === true) await transferDirectly(devnet, paid, action)
  else await prepareAndOrder(devnet, charge.id, action)
  await waitForEscrow(devnet, charge.id, action === 'release' ? RELEASED : REFUNDED)
}

async function untilMined({ chains }: StoryContext): Promise<void> {
  for (const chain of chains) await chain.untilMined()
}

function getChain(chains: readonly MoneyChain[], { network }: Pair): MoneyChain {
  const chain = chains.find((one) => one.network === network)
  if (chain === undefined) throw new Error(`there is no chain for ${network}`)
  return chain
}
