import { expect } from 'chai'

import type { Relayer, SignedTransaction } from '../../../indexer/relayer/relayer.ts'
import { distribute } from '../../../shared/domain/allocation.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { createTronFixture } from '../../support/tron-fixture.ts'
import {
  BLOCKS_TO_EXPIRE,
  createTronPayoutFixture,
  GRACE_SECONDS,
  startTronChain,
  type TronCharge,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { startTronProxy } from '../../support/tron-proxy.ts'

const AMOUNT = 10_000_001n
const NILE = 3448148188

class Killed extends Error {}

/** Returns a relayer whose process is killed after signing, before the commit. */
function killedWhereItSigns(relayer: Relayer): Relayer {
  return changed(relayer, async (sign) => {
    await sign()
    throw new Killed()
  })
}

/** Returns a wrapper for a relayer: `how` replaces the broadcast, and the process is killed after it. */
function killedWhereItBroadcasts(how: (signed: SignedTransaction) => Promise<void>) {
  return (relayer: Relayer): Relayer =>
    changed(relayer, async (sign) => {
      const signed = await sign()
      if (signed === null) return null
      const broadcast = async () => {
        await how(signed)
        throw new Killed()
      }
      return { ...signed, broadcast }
    })
}

function changed(
  relayer: Relayer,
  change: (sign: () => Promise<SignedTransaction | null>) => Promise<SignedTransaction | null>,
): Relayer {
  return {
    ...relayer,
    quote: async (call) => {
      const quote = await relayer.quote(call)
      return { ...quote, sign: (db, purpose) => change(() => quote.sign(db, purpose)) }
    },
  }
}

/** A fault during a charge's payout, and the number of transactions that are signed until the payout is complete. */
type Mishap = {
  readonly title: string
  readonly happens: (stage: TronPayoutFixture) => Promise<void>
  readonly signed: number
}

const MISHAPS: readonly Mishap[] = [
  {
    title: 'the process is killed after signing, before the commit',
    happens: async (stage) => {
      await killed(stage.cast({ breaking: killedWhereItSigns }).turn())
      expect(await stage.transactions()).to.deep.equal([])
    },
    signed: 1,
  },
  {
    title: 'the process is killed after the commit, before it broadcasts',
    happens: (stage) =>
      killed(stage.cast({ breaking: killedWhereItBroadcasts(() => Promise.resolve()) }).turn()),
    signed: 1,
  },
  {
    title: 'the process is killed after the broadcast, before it records the broadcast',
    happens: (stage) =>
      killed(stage.cast({ breaking: killedWhereItBroadcasts((signed) => signed.broadcast()) }).turn()),
    signed: 1,
  },
  {
    title: 'the response to the broadcast is lost, and the node rejects the same bytes as a duplicate',
    happens: async (stage) => {
      const line = await startTronProxy(stage.url)
      line.rule((path) => (path.endsWith('/broadcasthex') ? 'lose-answer' : 'pass'))
      await stage.cast({ urls: [line.url] }).turn()
      stage.advance(15)
      await stage.cast().relayer.turn()
      await line.stop()
    },
    signed: 1,
  },
  {
    title: 'the node loses its transaction pool',
    happens: async (stage) => {
      await stage.cast().turn()
      stage.chain.habits.drops = 1
      await stage.mine()
    },
    signed: 1,
  },
  {
    title: 'a fork of two blocks moves the transaction to another block',
    happens: async (stage) => {
      await stage.cast().turn()
      await stage.mine(2)
      await stage.chain.fork({ depth: 2, later: true })
    },
    signed: 1,
  },
  {
    title: 'a fork of two blocks removes the transaction from the chain',
    happens: async (stage) => {
      await stage.cast().turn()
      // The fork also orphans the block that was the head at the time of signing.
      await stage.mine()
      const [own] = await stage.transactions()
      await stage.chain.fork({ depth: 2, without: own === undefined ? [] : [own.txHash] })
      expect(stage.chain.find(own?.txHash ?? '0x')).to.equal(undefined)
    },
    signed: 1,
  },
  {
    title: 'no block includes the transaction before it expires',
    happens: async (stage) => {
      await stage.cast().turn()
      stage.chain.habits.drops = 1
      await stage.mine(BLOCKS_TO_EXPIRE - 1)
      // No solidified block is far enough past the expiration, so the daemon must not sign another transaction.
      await pass(stage)
      expect(await stage.transactions()).to.have.lengthOf(1)
      await stage.mine(2)
    },
    signed: 2,
  },
  {
    title: 'two daemons pay simultaneously, with the same key',
    happens: async (stage) => {
      const other = stage.anotherSql()
      const casts = [stage.cast(), stage.cast({ sql: other })]
      await Promise.all(casts.map(({ turn }) => turn()))
      await Promise.all(casts.map(({ relayer }) => relayer.turn()))
      await other.end()
    },
    signed: 1,
  },
  {
    title: 'two daemons rebuild the transaction simultaneously',
    happens: async (stage) => {
      const other = stage.anotherSql()
      const casts = [stage.cast(), stage.cast({ sql: other })]
      await casts[0]?.turn()
      stage.chain.habits.drops = 1
      await stage.mine(BLOCKS_TO_EXPIRE + 1)
      await Promise.all(casts.map(({ relayer }) => relayer.turn()))
      stage.advance(60)
      await Promise.all(casts.map(({ turn }) => turn()))
      await other.end()
    },
    signed: 2,
  },
  {
    title: 'the first of two nodes belongs to Nile, where blocks of the same heights are already solidified',
    happens: async (stage) => {
      const nile = await createTronFixture({ chainId: NILE })
      for (let blocks = 0; blocks < 120; blocks += 1) await nile.chain.mine()
      const { turn, relayer } = stage.cast({ urls: [nile.url, stage.url], quorum: 1 })
      await turn()
      stage.chain.habits.drops = 1
      await stage.mine()
      await relayer.turn()
      await nile.stop()
      expect((await stage.transactions()).map(({ status }) => status)).to.deep.equal(['signed'])
    },
    signed: 1,
  },
  {
    title: 'the node responds with 503 to a different request in each of four turns',
    happens: async (stage) => {
      const line = await startTronProxy(stage.url)
      const cast = stage.cast({ urls: [line.url] })
      for (const deaf of [
        'triggerconstantcontract',
        'getchainparameters',
        'broadcasthex',
        'gettransactioninfobyid',
      ]) {
        line.rule((path) => (path.endsWith(deaf) ? 'refuse' : 'pass'))
        await cast.turn()
        await cast.relayer.turn().catch(() => undefined)
        stage.advance(60)
      }
      await line.stop()
    },
    signed: 1,
  },
]

async function killed(turn: Promise<unknown>): Promise<void> {
  const error = await turn.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(Killed)
}

/** Runs the due work, as a restarted daemon does. */
async function pass(stage: TronPayoutFixture): Promise<void> {
  stage.advance(60)
  const { turn, relayer } = stage.cast()
  await relayer.turn()
  await turn()
}

describe('a TRON payout is made exactly once, even if', function () {
  this.timeout(180_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutFixture
  let charge: TronCharge

  before(async () => {
    tron = await startTronChain()
  })
  after(() => tron.stop())
  beforeEach(async () => {
    stage = await createTronPayoutFixture(tron)
    charge = await stage.pay(AMOUNT)
    stage.advance(GRACE_SECONDS)
  })
  afterEach(() => {
    stage.chain.habits.drops = 0
    return stage.close()
  })

  for (const { title, happens, signed } of MISHAPS) {
    it(title, async () => {
      await happens(stage)
      for (let round = 0; round < 3 && stage.distributionsOf(charge) === 0; round += 1) {
        await pass(stage)
        await stage.mine()
      }
      await stage.settle()
      await pass(stage)
      await stage.mine()
      expect(stage.distributionsOf(charge)).to.equal(1)
      const statuses = (await stage.transactions()).map(({ status }) => status)
      expect(statuses).to.deep.equal([...Array.from({ length: signed - 1 }, () => 'expired'), 'final'])
      const { payouts } = distribute({ amount: atomic(AMOUNT), split: charge.split })
      const paid = await Promise.all(charge.split.recipients.map((account) => stage.balanceOf(account)))
      expect(paid).to.deep.equal(payouts)
      expect(await stage.chargeOf(charge)).to.include({ settlementStatus: 'completed' })
      expect(await stage.payoutOf(charge)).to.include({ status: 'completed', attempts: 1 })
    })
  }
})
