import { expect } from 'chai'
import type { Checkout } from '../../../api/checkout/project.ts'
import { readCheckouts } from '../../../api/checkout/read-checkout.ts'
import { createReadPages } from '../../../api/checkout/read-pages.ts'
import { createPageFeed, type PageFeed } from '../../../api/streams/page-feed.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { insertSeenTransfer } from '../../support/daemon-rows.ts'
import { randomHex } from '../../support/factories.ts'
import { fieldOf, recordStream } from '../../support/record-stream.ts'
import { createRandom, type Random } from '../../support/seeded-random.ts'

const AMOUNT = 10
const NETWORKS = ['base', 'bnb'] as const
const ORDERS = process.env['TEST_LONG'] === '1' ? 1000 : 100
const ROUNDS = 9
/**
 * The network that is paused or resumed, by round. In all other rounds, only changes of a charge refresh its page.
 */
const PAIR_CHANGES: ReadonlyMap<number, string> = new Map([
  [3, 'base'],
  [5, 'bnb'],
  [7, 'base'],
])
const SEED = 20_261_127
/** Screens that the random changes must reach. */
const SCREENS = ['pay', 'signed', 'seen', 'unavailable', 'paid', 'expired', 'late']

type Transfer = { readonly hash: string; readonly dollars: number; state: 'seen' | 'orphaned' | 'credited' }

/** The expected state of a charge, and its open page. */
type Life = {
  readonly id: string
  readonly transfers: Transfer[]
  /** Returns the checkout that the page's stream sent last. */
  readonly page: () => Checkout
  isSigned: boolean
  isOver: boolean
}

/**
 * Each round changes each charge at random, as the daemon, the payer and the operator do, and then refreshes the feed,
 * as the hub does at least every two seconds. Only a credit and the end of a charge have an event, which the hub
 * reports to the feed.
 */
describe('open pages and reloads, in random sequences of payments, signatures, pauses and late payments', function () {
  this.timeout(300_000)
  let api: TestApi
  before(async () => {
    api = await startTestApi({
      CHECKOUT_BASE_URL: 'https://pay.example/pay',
      RATE_LIMIT_PER_MINUTE: '100000',
    })
  })
  after(() => api.stop())

  it('request exactly the charge’s amount minus all credited and detected payments, on unpaused pairs only', async () => {
    const deps = { sql: api.owner, config: api.config, swap: null }
    const { staleAfter } = api.config
    const feed = createPageFeed({ ...deps, ids: api.hub.ids, staleAfter, readPages: createReadPages(deps) })
    const random = createRandom(SEED)
    const lives = await openPages(api, feed)
    const open = new Set<string>(NETWORKS)
    const reached = new Set<string>()
    await refresh(feed)
    for (let round = 1; round <= ROUNDS; round += 1) {
      await changePair(api, open, PAIR_CHANGES.get(round))
      await Promise.all(lives.map((life) => change({ api, feed, random }, life)))
      await refresh(feed)
      const reloaded = await readCheckouts(
        deps,
        lives.map(({ id }) => id),
      )
      for (const life of lives) {
        reached.add(life.page().screen)
        const label = `round ${round}: ${JSON.stringify(life)}`
        expect(listAsked(life.page()), `the open page in ${label}`).to.deep.equal(expectedOf(life, open))
        const reload = reloaded.find(({ current }) => current.charge.id === life.id)
        expect(reload && listAsked(reload.checkout), `a reload in ${label}`).to.deep.equal(
          expectedOf(life, open),
        )
      }
    }
    expect(reached).to.have.all.keys(...SCREENS)
  })
})

/** Returns the payments that the page requests, as `network dollars`. */
function listAsked({ howToPay }: Checkout): readonly string[] {
  return (howToPay?.payments ?? []).map(({ network, amount }) => `${network} ${amount}`)
}

function expectedOf({ transfers, isSigned, isOver }: Life, open: ReadonlySet<string>): readonly string[] {
  const due = AMOUNT - sum(transfers, ['seen', 'credited'])
  if (isOver || isSigned || due <= 0) return []
  return NETWORKS.filter((network) => open.has(network)).map((network) => `${network} ${due}`)
}

async function openPages(api: TestApi, feed: PageFeed): Promise<readonly Life[]> {
  const { key } = await api.issueKey()
  const acceptedPayments = [
    { token: 'USDC', network: 'base' },
    { token: 'USDT', network: 'bnb' },
  ]
  const body = { amount: AMOUNT, acceptedPayments, expiresIn: 3600 }
  const lives: Life[] = []
  for (let index = 0; index < ORDERS; index += 1) {
    const { id } = (await call(api, 'POST /v1/charges', { key, body })).body
    let last = ''
    feed.follow(
      id,
      recordStream((frame) => (last = fieldOf(frame, 'data'))),
    )
    lives.push({ id, transfers: [], isSigned: false, isOver: false, page: () => JSON.parse(last) })
  }
  return lives
}

/**
 * Lets the feed take turns as in a poll of the hub, but without the unchanged pages that a poll refreshes in rotation.
 */
async function refresh(feed: PageFeed): Promise<void> {
  let isLeft = await feed.refresh({ progress: true, isPoll: false })
  while (isLeft === 'more') isLeft = await feed.refresh({ progress: false, isPoll: false })
}

async function changePair({ owner }: TestApi, open: Set<string>, network: string | undefined): Promise<void> {
  if (network === undefined) return
  const isOpen = open.delete(network)
  if (!isOpen) open.add(network)
  await owner`update pairs set paused_at = ${isOpen ? new Date() : null} where network = ${network}`
}

type Acting = { readonly api: TestApi; readonly feed: PageFeed; readonly random: Random }

const STEPS = ['sends', 'pays', 'vanishes', 'returns', 'credits', 'signs', 'waits', 'ends'] as const

async function change({ api, feed, random }: Acting, life: Life): Promise<void> {
  const { owner } = api
  const { id, transfers } = life
  const one = transfers.length === 0 ? null : random.pick(transfers)
  const send = async (dollars: number) => {
    const transfer = { hash: randomHex(32), dollars, state: 'seen' } as const
    transfers.push({ ...transfer })
    await insertSeenTransfer(owner, { chargeId: id, blockNumber: 98, txHash: transfer.hash, dollars })
    if (life.isOver)
      await owner`update transfers set block_timestamp = extract(epoch from now()) where tx_hash = ${transfer.hash}`
  }
  switch (random.pick(STEPS)) {
    case 'sends':
      return send(1 + random.integer(AMOUNT + 2))
    case 'pays': {
      const [asked] = listAsked(life.page())
      return asked === undefined ? undefined : send(Number(asked.split(' ')[1]))
    }
    case 'vanishes':
      if (one?.state !== 'seen') return
      one.state = 'orphaned'
      await owner`update transfers set inclusion = 'orphaned' where tx_hash = ${one.hash}`
      return
    case 'returns':
      if (one?.state !== 'orphaned') return
      one.state = 'seen'
      await owner`update transfers set inclusion = 'included' where tx_hash = ${one.hash}`
      return
    case 'credits':
      if (one?.state !== 'seen') return
      one.state = 'credited'
      await credit(api, life, one)
      return feed.markChanged([id])
    case 'signs':
      life.isSigned = !life.isSigned
      if (!life.isSigned) return void (await owner`delete from requests where charge_id = ${id}`)
      await owner`
        insert into requests (id, kind, organization_id, charge_id, payload)
        values (${newId('req', Date.now())}, 'authorization', 'org_one', ${id}, '{}')`
      return
    case 'ends':
      if (life.isOver || random.integer(4) > 0 || sum(transfers, ['credited']) > 0) return
      life.isOver = true
      await owner`
        update charges set status = 'expired', created_at = now() - interval '2 hours',
          expires_at = now() - interval '1 second' where id = ${id}`
      return feed.markChanged([id])
    case 'waits':
      return
  }
}

async function credit({ owner }: TestApi, life: Life, { hash }: Transfer): Promise<void> {
  const received = sum(life.transfers, ['credited'])
  await owner.begin(async (db) => {
    await db`
      update transfers set credited_at = now(), agreed_at = now(), agreed_by = '{one,two}', on_time = ${!life.isOver}
      where tx_hash = ${hash}`
    const isPaid = received >= AMOUNT
    await db`
      update charges set received_atto = ${received}::int * 1e18,
        status = case when status in ('expired', 'confirmed') then status when ${isPaid} then 'confirmed' else 'partially_paid' end,
        confirmed_at = case when status not in ('expired', 'confirmed') and ${isPaid} then now() else confirmed_at end
      where id = ${life.id}`
  })
  if (received >= AMOUNT) life.isOver = true
}

function sum(transfers: readonly Transfer[], states: readonly Transfer['state'][]): number {
  return transfers.reduce((all, { dollars, state }) => (states.includes(state) ? all + dollars : all), 0)
}
