import type { Network, Pair } from '../../../shared/domain/networks.ts'
import type { Random } from '../seeded-random.ts'

/** A part of a charge's amount, and the index of the accepted pair that pays it. */
export type Part = { readonly amountAtto: bigint; readonly pair: number }

/** What happens to a charge. The amounts and pairs are random. */
export type Story = {
  /** Default: every network. */
  readonly networks?: readonly Network[]
  /** The minimum number of pairs that the charge accepts. Default: 1. */
  readonly pairs?: number
  /** The only token that the charge accepts: the one whose issuer can restrict accounts. Default: any. */
  readonly token?: 'restrictable'
  readonly inTime?: (amountAtto: bigint, random: Random) => readonly Part[]
  /** The payments after the charge's deadline. */
  readonly late?: (amountAtto: bigint, random: Random) => readonly Part[]
  /** Whether the charge is paid on a pair that it does not accept. */
  readonly isPaidInWrongPair?: boolean
  /** Whether money is sent to the split of an escrow charge, which does not count as a payment. */
  readonly isSplitPaid?: boolean
  /** The distributor named in a distribution that precedes the service's own. */
  readonly distributor?: 'keeper' | 'merchant' | 'nobody' | 'split'
  /**
   * The recipient whose share is held because the token's issuer restricts the account. The restriction ends later,
   * except for `lost`.
   */
  readonly held?: 'delayed' | 'lost' | 'merchant'
  readonly escrow?: 'release' | 'refund' | 'release on chain' | 'refund on chain' | 'keep'
}

const DOLLAR = 10n ** 18n

/** Returns a random amount below the given dollars, with digits up to the 18th decimal place. */
function some(random: Random, dollars: number): bigint {
  return BigInt(random.integer(dollars * 1_000_000)) * 10n ** 12n + BigInt(random.integer(10 ** 9))
}

const all = (amountAtto: bigint) => [{ amountAtto, pair: 0 }]
const tooMuch = (amountAtto: bigint, random: Random) => all(amountAtto + DOLLAR + some(random, 30))
const half = (amountAtto: bigint, random: Random) =>
  all((amountAtto * BigInt(30 + random.integer(40))) / 100n)
const more = (_: bigint, random: Random) => all(DOLLAR + some(random, 20))
const dust = (_: bigint, random: Random) => all(some(random, 1) / 2n + 10n ** 12n)
const inParts = (amountAtto: bigint) => [
  { amountAtto: amountAtto / 3n, pair: 0 },
  { amountAtto: amountAtto - amountAtto / 3n, pair: 1 },
]

/** The kinds of charges whose books are compared. */
export const STORIES: Readonly<Record<string, Story>> = {
  'paid exactly': { inTime: all },
  overpaid: { inTime: tooMuch },
  underpaid: { inTime: half },
  'paid in parts': { inTime: (amountAtto) => inParts(amountAtto).map((part) => ({ ...part, pair: 0 })) },
  'paid on two pairs': { pairs: 2, inTime: inParts },
  'paid too late': { late: all },
  'completed too late': { inTime: half, late: all },
  'paid again later': { inTime: all, late: more },
  'paid too late, on two pairs': { pairs: 2, late: inParts },
  'dust after its end': { late: dust },
  'not paid': {},
  'paid on a wrong pair': { isPaidInWrongPair: true, networks: ['base', 'bnb'] },
  'distributed by a keeper': { inTime: tooMuch, distributor: 'keeper' },
  'distributed by the merchant': { inTime: all, distributor: 'merchant' },
  'distributed by nobody': { inTime: all, distributor: 'nobody' },
  'distributed with the split as the distributor': { inTime: tooMuch, distributor: 'split' },
  'distributed by a keeper, then by us': { inTime: all, distributor: 'keeper', late: more },
  'held and released': { token: 'restrictable', inTime: all, held: 'delayed' },
  'held for good': { token: 'restrictable', inTime: tooMuch, held: 'lost' },
  'the merchant’s share held and released': {
    ...{ token: 'restrictable', inTime: all, held: 'merchant', distributor: 'keeper' },
  },
  'escrow released': { inTime: tooMuch, escrow: 'release' },
  'escrow released on chain': { networks: ['base'], inTime: all, escrow: 'release on chain' },
  'escrow refunded': { inTime: all, escrow: 'refund' },
  'escrow refunded on chain': { networks: ['base'], inTime: tooMuch, escrow: 'refund on chain' },
  'escrow kept': { inTime: half, escrow: 'keep' },
  'escrow released, after its split was paid': {
    ...{
      inTime: all,
      escrow: 'release',
      isSplitPaid: true,
      distributor: 'keeper',
      networks: ['base', 'bnb'],
    },
  },
  'escrow released, then paid again': { inTime: all, escrow: 'release', late: more },
}

export type ToldStory = Story & { readonly name: string }

/** Returns `count` stories, which rotate through all kinds. */
export function tellStories(count: number): readonly ToldStory[] {
  const stories = Object.entries(STORIES).map(([name, story]) => ({ ...story, name }))
  return Array.from({ length: count }, (_, index) => stories[index % stories.length] as ToldStory)
}

/** Returns random pairs of one chain family for a story's charge. */
export function pickPairs(
  story: Story,
  { random, available }: { readonly random: Random; readonly available: readonly Pair[] },
): readonly Pair[] {
  const first = random.pick(available)
  const others = available.filter((pair) => pair !== first && isTogether(first, pair))
  const mustBeOne =
    story.escrow !== undefined || story.token !== undefined || story.isPaidInWrongPair === true
  const count = mustBeOne ? 1 : Math.max(story.pairs ?? 1, 1 + random.integer(2))
  return [first, ...shuffle(others, random)].slice(0, count)
}

/** Whether one charge can accept both pairs. Its address is either on TRON or on all other chains. */
function isTogether(one: Pair, other: Pair): boolean {
  return (one.network === 'tron') === (other.network === 'tron')
}

function shuffle<Item>(items: readonly Item[], random: Random): readonly Item[] {
  return items
    .map((item) => ({ item, order: random.fraction() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item)
}
