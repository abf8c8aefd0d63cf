import { requireData } from '../../../api/client/client.ts'
import type { Schema } from '../../../api/client/schema.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { createApiCaller } from '../../devnet/call-api.ts'
import { mapAtMost } from '../map-at-most.ts'
import { type AnsweredTotals, readAnswerFigures } from './answer-figures.ts'
import { type Balances, readBalances, subtractBalances } from './balances.ts'
import { readChainFigures } from './chain-figures.ts'
import type { Shop } from './create-shop.ts'
import type { Figures } from './figures.ts'
import type { StoryContext, ToldCharge } from './open-charge.ts'
import { type ExportedLeg, type Exports, readCsvLegs, readExports } from './read-exports.ts'
import { readMetricTotals } from './read-metrics.ts'
import { releaseHeld, restrict, runStories } from './run-stories.ts'
import type { ToldStory } from './stories.ts'
import { untilQuiet } from './until-quiet.ts'

type Charge = Schema<'Charge'>

/** The same amounts, according to the chains, the API and the exports. */
export type RecordedBooks = {
  readonly charges: readonly Charge[]
  /** The figures of each charge according to the chains' logs and balances. */
  readonly onChain: Figures
  readonly changes: Balances
  readonly answered: { readonly figures: Figures; readonly totals: AnsweredTotals }
  readonly metrics: AnsweredTotals
  readonly exports: Exports
  readonly legs: readonly ExportedLeg[]
}

type RecordingContext = StoryContext & {
  /** Whether the service releases the held shares, which takes 5 minutes or more. Otherwise the test releases them. */
  readonly isReleasedByService: boolean
}

const AT_ONCE = 8
const QUIET_WITHIN_MS = 5 * 60_000

/**
 * Runs stories on a merchant's charges, waits until the service has finished all work, and reads all books of the
 * charges.
 *
 * @param accounts - accounts whose balances only these charges change during this time
 */
export async function recordBooks(
  stories: readonly ToldStory[],
  { accounts, ...context }: RecordingContext & { readonly accounts: readonly Address[] },
): Promise<RecordedBooks> {
  const { shop, chains } = context
  const before = await readBalances(chains, accounts)
  const told = await runStories(stories, context)
  const ids = told.map(({ charge }) => charge.id)
  await settle(context, told)
  const charges = await readCharges(shop, ids)
  const exports = await readExports(shop)
  return {
    charges,
    onChain: await readChainFigures(charges, chains),
    changes: subtractBalances(await readBalances(chains, accounts), before),
    answered: await readAnswerFigures(charges, context),
    metrics: await readMetricTotals(shop),
    ...{ exports, legs: readCsvLegs(exports) },
  }
}

/**
 * Waits until every charge is final and paid out. Then makes the issuers allow the delayed partner again, and waits
 * until the held shares are paid too.
 */
async function settle(
  { isReleasedByService, ...context }: RecordingContext,
  told: readonly ToldCharge[],
): Promise<void> {
  const { shop, chains } = context
  const charges = told.map(({ charge }) => charge)
  const received = [...(await readChainFigures(charges, chains))].filter(([key]) => key.endsWith(' received'))
  const sentAtto = received.reduce((sum, [, amountAtto]) => sum + amountAtto, 0n)
  await untilQuiet(shop, { sentAtto, isHeldAwaited: false, timeoutMs: QUIET_WITHIN_MS })
  await restrict(context, [shop.delayedPartner.address], false)
  if (!isReleasedByService) await releaseHeld(told, context)
  await untilQuiet(shop, { sentAtto, isHeldAwaited: true, timeoutMs: QUIET_WITHIN_MS })
}

async function readCharges({ devnet }: Shop, ids: readonly string[]): Promise<readonly Charge[]> {
  const api = createApiCaller(devnet.description)
  return mapAtMost(AT_ONCE, ids, (id) =>
    requireData(api.GET('/v1/charges/{id}', { params: { path: { id } } })),
  )
}
