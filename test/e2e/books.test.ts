import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compareBooks } from '../../indexer/charges/rebuild-entries.ts'
import type { Address } from '../../shared/domain/address.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { ARC_CHAIN } from '../devnet/arc/arc-chain.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { type DevnetChain, LIVE_CHAINS } from '../devnet/networks.ts'
import { createArcMoney } from '../support/books/arc-money.ts'
import { createShop, type Shop } from '../support/books/create-shop.ts'
import { createEvmMoney } from '../support/books/evm-money.ts'
import { readExportFigures, roundSales, sumByAccount, sumByParty } from '../support/books/export-figures.ts'
import { listDifferences } from '../support/books/figures.ts'
import { checkJournal, JOURNAL_PROGRAMS, readJournal } from '../support/books/journal-balances.ts'
import type { MoneyChain } from '../support/books/money-chain.ts'
import { readJsonLegs, readPostings } from '../support/books/read-exports.ts'
import { type RecordedBooks, recordBooks } from '../support/books/record-books.ts'
import { STORIES, tellStories } from '../support/books/stories.ts'
import { createTronMoney } from '../support/books/tron-money.ts'
import { describeIfInstalled } from '../support/describe-if-installed.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { addressOf } from '../support/random-terms.ts'
import { query } from '../support/scenario.ts'
import { createRandom } from '../support/seeded-random.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { TRON_WITH_USDC } from '../support/tron-with-usdc.ts'

const { TEST_LONG, TEST_SEED } = process.env // oxlint-disable-line no-process-env -- settings of the run
/** Seed of the random terms. The title contains the seed, so that a failure can be repeated. */
const SEED = Number(TEST_SEED ?? 20_261_127)
const IS_LONG = TEST_LONG === '1'
const CHARGES = IS_LONG ? 300 : Object.keys(STORIES).length

describe(`the books of ${CHARGES} charges with random terms, seed ${SEED}`, function () {
  this.timeout(30 * 60_000)
  let devnet: Devnet
  let shop: Shop
  let books: RecordedBooks

  before(async () => {
    devnet = IS_LONG ? await startOwnDevnet() : (await LIVE_DEVNET.of(import.meta.filename)).devnet
    shop = await createShop(devnet)
    const chains = await Promise.all(devnet.chains.map((chain) => createMoney(devnet, chain)))
    const random = createRandom(SEED)
    const context = { shop, chains, random, accounts: listAccounts(), isReleasedByService: IS_LONG }
    books = await recordBooks(tellStories(CHARGES), context)
  })

  after(() => (IS_LONG ? devnet?.stop() : undefined))

  it('contain every final status, network and kind of distributor, and all categories except refunds and adjustments', () => {
    const valuesOf = (name: string) => [...new Set(books.legs.map((leg) => leg[name]))]
    expect(valuesOf('category')).to.have.members([
      ...['payment', 'sale', 'payout', 'hold', 'release', 'escrow_release', 'escrow_refund'],
    ])
    expect([...new Set(books.charges.map(({ status }) => status))]).to.have.members([
      ...['confirmed', 'underpaid', 'expired'],
    ])
    const distributors = books.legs.filter(({ account }) => account === 'Expenses:Fees:Incentive')
    expect(distributors.map(({ counterparty = '' }) => addressOf(counterparty))).to.include.members([
      ...[shop.keeper, shop.merchant, addressOf(ACCOUNTS.relayer.address)],
    ])
    expect(valuesOf('network')).to.have.members(devnet.chains.map(({ network }) => network))
  })

  it('show the same amounts in the API’s responses as on the chains, for each charge', () => {
    const { onChain, answered } = books
    const withoutSales = new Map([...onChain].filter(([key]) => !key.endsWith(' sold')))
    expect(listDifferences(answered.figures, withoutSales)).to.deep.equal([])
  })

  it('show the same amounts in the export as on the chains, for each charge', () => {
    const figures = roundSales(readExportFigures(books.legs), books.charges)
    expect(listDifferences(figures, books.onChain)).to.deep.equal([])
  })

  it('explain the change of each account’s balance', () => {
    const { changes, legs } = books
    const explained = [...sumByParty(legs)].filter(([key]) => changes.has(key))
    expect(listDifferences(new Map(explained), changes)).to.deep.equal([])
  })

  it('have the same sums in the metrics, in the API’s responses and in the balances', () => {
    const { metrics, answered } = books
    expect(metrics).to.deep.equal(answered.totals)
    // The merchant also receives incentives as a distributor.
    const earnedAsDistributor = sumIncentives(shop.merchant)
    expect(metrics.net + earnedAsDistributor).to.equal(sumChanges(shop.merchant))
  })

  it('are the same in every format', () => {
    const { legs, exports } = books
    expect(readJsonLegs(exports)).to.deep.equal(legs)
    const postings = legs.map(({ entry_id: entry, account, amount, commodity }) => ({
      ...{ entry, account, amount, commodity },
    }))
    for (const format of ['hledger', 'beancount'] as const)
      expect(readPostings(exports, format), format).to.deep.equal(postings)
  })

  it('are the same when they are derived again from the ledgers', async () => {
    const { charges, ...differing } = await query(
      devnet,
      (sql) => compareBooks(sql, { isRebuild: false }),
      'daemon',
    )
    // Other tests also create charges in the shared installation, so the total has only a lower bound.
    const ours = new Set(books.legs.map(({ charge_id: id }) => id))
    expect(ours.size).to.be.at.least(CHARGES / 2)
    expect(charges).to.be.at.least(ours.size)
    expect(differing).to.deep.equal({ missing: [], wrong: [], wrongSums: [] })
  })

  for (const program of JOURNAL_PROGRAMS) {
    describeIfInstalled(program.command)(`in ${program.name}`, () => {
      it('have the same balances', async () => {
        const file = join(await temporaryDirectory('books'), `books.${program.format}`)
        await writeFile(file, books.exports[program.format])
        checkJournal(program, file)
        expect(listDifferences(readJournal(program, file), sumByAccount(books.legs))).to.deep.equal([])
      })
    })
  }

  /**
   * Returns the accounts whose balances only these charges change. The treasury is included only in a separate
   * installation. The relayer is excluded, because it pays gas on Arc in the token.
   */
  function listAccounts() {
    const { merchant, keeper, partners, delayedPartner, lostPartner } = shop
    const ofPartners = [delayedPartner, lostPartner, ...partners].map(({ address }) => address)
    const treasury = IS_LONG ? [addressOf(ACCOUNTS.treasury.address)] : []
    return [merchant, keeper, ...ofPartners, ...treasury]
  }

  function sumIncentives(distributor: Address): bigint {
    const ofDistributor = books.legs.filter(({ account }) => account === 'Expenses:Fees:Incentive')
    return sum([...sumByParty(ofDistributor)].filter(([key]) => key.endsWith(distributor)))
  }

  function sumChanges(account: Address): bigint {
    return sum([...books.changes].filter(([key]) => key.endsWith(account)))
  }
})

/** Starts the separate installation of `npm run test:long`. Other runs use the installation of other tests. */
async function startOwnDevnet(): Promise<Devnet> {
  return startDevnet({
    ...{ directory: await temporaryDirectory('books'), program: 'dist', graceSeconds: 1 },
    chains: [...LIVE_CHAINS, ARC_CHAIN, TRON_WITH_USDC],
  })
}

async function createMoney(devnet: Devnet, chain: DevnetChain): Promise<MoneyChain> {
  const { network } = chain
  if (network === 'tron') return createTronMoney(devnet)
  return network === 'arc'
    ? createArcMoney(chain)
    : createEvmMoney(devnet, network === 'bnb' ? 'bnb' : 'base')
}

function sum(amounts: readonly (readonly [string, bigint])[]): bigint {
  return amounts.reduce((total, [, amount]) => total + amount, 0n)
}
