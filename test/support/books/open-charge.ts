import { requireData } from '../../../api/client/client.ts'
import type { Schema } from '../../../api/client/schema.ts'
import type { ChainFamilyName } from '../../../shared/domain/address.ts'
import type { Pair } from '../../../shared/domain/networks.ts'
import { createApiCaller } from '../../devnet/call-api.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import type { Random } from '../seeded-random.ts'
import type { Partner, Shop } from './create-shop.ts'
import type { MoneyChain } from './money-chain.ts'
import { pickPairs, type ToldStory } from './stories.ts'

export type StoryContext = {
  readonly shop: Shop
  readonly chains: readonly MoneyChain[]
  readonly random: Random
}

export type ToldCharge = { readonly story: ToldStory; readonly charge: Schema<'Charge'> }

/** The percentage that the service's fee leaves for split recipients. */
const EVERYTHING = 99

/** Creates a charge with random terms that fit a story. */
export async function openCharge(story: ToldStory, context: StoryContext): Promise<ToldCharge> {
  const { description } = context.shop.devnet
  const body = draftCharge(story, context)
  // Retries like a merchant's server, because a chain can be unavailable for a moment.
  const charge = await waitFor(
    () => requireData(createApiCaller(description).POST('/v1/charges', { body })),
    {
      ...{ what: `a charge that is ${story.name}`, timeoutMs: 60_000, intervalMs: 500 },
    },
  )
  return { story, charge }
}

function draftCharge(story: ToldStory, context: StoryContext): Schema<'CreateCharge'> {
  const { shop, random } = context
  const acceptedPayments = [...pickPairs(story, { random, available: listPairs(story, context) })]
  const family = acceptedPayments[0]?.network === 'tron' ? 'tron' : 'evm'
  const releaserAddress = shop.devnet.description.accounts.releaser.address.toLowerCase()
  return {
    amount: (10_000_000 + random.integer(200_000_000)) / 1_000_000,
    feePayer: random.pick(['merchant', 'payer'] as const),
    ...{ acceptedPayments, expiresIn: 3600, externalRef: story.name },
    splitRecipients: [...pickSplits(story, { shop, random, family })],
    ...(story.escrow !== undefined && { escrow: { releaserAddress } }),
  }
}

function listPairs(story: ToldStory, { chains }: StoryContext): readonly Pair[] {
  return chains
    .filter(({ network }) => story.networks?.includes(network) ?? true)
    .filter(({ network }) => story.escrow === undefined || network !== 'tron')
    .flatMap(({ network, tokens, restrictable }) =>
      tokens
        .filter((token) => story.token === undefined || token === restrictable)
        .map((token) => ({ token, network })),
    )
}

type SplitContext = { readonly shop: Shop; readonly random: Random; readonly family: ChainFamilyName }

/** Draws up to five shares. Several of them can belong to the same partner. */
function pickSplits(story: ToldStory, { shop, random, family }: SplitContext) {
  if (canGiveEverything(story) && random.fraction() < 0.1)
    return [{ recipientId: random.pick(shop.partners).recipientIds[family], percent: EVERYTHING }]
  const stopped = listStopped(story, shop)
  const others = Array.from({ length: random.integer(6 - stopped.length) }, () => random.pick(shop.partners))
  return [...stopped, ...others].map(({ recipientIds }, index) => ({
    recipientId: recipientIds[family],
    // The service releases a held share only if it is worth at least a dollar.
    percent: (index < stopped.length ? 12 : 0.1) + random.integer(14_000_000) / 1_000_000,
  }))
}

function canGiveEverything({ escrow, held }: ToldStory): boolean {
  return escrow === undefined && held === undefined
}

function listStopped({ held }: ToldStory, { delayedPartner, lostPartner }: Shop): readonly Partner[] {
  if (held === 'delayed') return [delayedPartner]
  return held === 'lost' ? [lostPartner] : []
}
