import { expect } from 'chai'
import { findSignatureFacts } from '../../../shared/db/authorizations/authorization-facts.ts'
import { withdrawRequest } from '../../../shared/db/requests/charge-requests.ts'
import type { Hex } from '../../../shared/domain/address.ts'
import { authorizationCall } from '../../../shared/domain/authorization.ts'
import { parseAuthorization } from '../../../shared/domain/parse-authorization.ts'
import { planAuthorization } from '../../../shared/domain/plan-authorization.ts'
import { ACCOUNTS, signerOf } from '../../devnet/accounts.ts'
import {
  type AuthorizationStage,
  type OpenCharge,
  PAYER,
  setAuthorizationStage,
  type Written,
} from '../../support/authorization-stage.ts'
import { addressOf, CONFIRMATIONS, type Stage, type TestChain } from '../../support/payout-stage.ts'
import { stageForEach } from '../../support/payout-stage-for-each.ts'
import { createRandom } from '../../support/seeded-random.ts'

// The fifth is the first that fails where an authorization ends before its window does.
// oxlint-disable-next-line no-process-env -- how long tests may take is a setting of the run
const [FIRST_SEED, LAST_SEED] = process.env['TEST_LONG'] === '1' ? [1, 300] : [5, 7]
const STEPS = 40
const PAID = 10_000_000n

/**
 * A client that signs anew whenever it is asked to, as those of x402 do; a daemon that is killed wherever it can be; a chain
 * that takes blocks back; and a stranger who sends again whatever became public.
 */
describe('one charge, one signing client', function () {
  this.timeout(120_000)
  let stage: Stage
  let chain: TestChain
  let signing: AuthorizationStage

  stageForEach(async (fresh, its) => {
    ;[stage, chain] = [fresh, its]
    signing = await setAuthorizationStage(stage)
  })
  afterEach(() => signing.close())

  for (let seed = FIRST_SEED; seed <= LAST_SEED; seed += 1) {
    it(`has at most one transfer leave the payer, whatever is retried and killed (seed ${seed})`, async () => {
      const charge = await stage.openCharge({ expiresInSeconds: 1_000_000 })
      const world = createWorld(charge, seed)
      const done: string[] = []
      for (let step = 0; step < STEPS; step += 1) {
        const [name, act] = world.choose()
        done.push(name)
        await act()
        await expectOneAtMost(charge, done)
      }
      await world.end()
      await expectOneAtMost(charge, [...done, 'end'])
      expect(await stage.balanceOf(charge.address), `it is paid, after ${done.join(', ')}`).to.equal(PAID)
    })
  }

  async function expectOneAtMost(charge: OpenCharge, done: readonly string[]): Promise<void> {
    const [left, came] = [
      await stage.balanceOf(addressOf(PAYER.address)),
      await stage.balanceOf(charge.address),
    ]
    expect(left >= 1_000_000_000n - PAID && came <= PAID, `after ${done.join(', ')}`).to.equal(true)
  }

  /** Everything that can happen, chosen by the seed. */
  function createWorld(charge: OpenCharge, seed: number) {
    const { fraction, pick } = createRandom(seed)
    /** What the client has signed, the last one last. */
    const signed: Written[] = []
    let request: string | null = null
    let beforeBlock: Hex | null = null

    /** The client asks, signs if it is asked to, and sends what it signed. */
    const sign = async (): Promise<void> => {
      const facts = await findSignatureFacts(signing.api, { chargeId: charge.chargeId })
      if (facts === null || planAuthorization(facts, stage.time.now).type !== 'asked') return
      const written = await signing.sign(charge)
      signed.push(written)
      await send(written)
    }
    const send = async (written: Written | undefined): Promise<void> => {
      if (written !== undefined) request = (await signing.request(charge, written)) ?? request
    }
    const daemon = (broadcast?: Parameters<AuthorizationStage['cast']>[0]) => signing.cast(broadcast)
    const killed = () => Promise.reject(new Error('killed'))
    const killedAfter = async (): Promise<void> => {
      const { broadcast } = daemon().relayer
      await daemon({ broadcast: (sent) => broadcast(sent).then(killed) }).turn()
    }
    /** Whatever was broadcast is public, and anybody can send it. */
    const sendAsStranger = async (): Promise<void> => {
      const taken = await stage.sql<{ nonce: Hex }[]>`select nonce from authorizations`
      const known = signed.filter(({ nonce }) => taken.some((one) => one.nonce === nonce))
      if (known.length === 0) return
      const parsed = parseAuthorization(pick(known))
      if (!parsed.ok) return
      const { to, data } = authorizationCall(stage.token, parsed.signed)
      const account = signerOf(ACCOUNTS.keeper)
      await stage.wallet.sendTransaction({ account, to, data, gas: 200_000n }).catch(() => undefined)
    }
    const mine = async (): Promise<void> => {
      beforeBlock = await chain.node.snapshot()
      await stage.mine()
    }
    const takeBack = async (): Promise<void> => {
      if (beforeBlock === null) return
      await chain.reset(beforeBlock)
      beforeBlock = null
    }
    const pass = async (seconds: number): Promise<void> => {
      beforeBlock = null
      stage.advance(seconds)
      const timestamp = BigInt(Math.floor(stage.time.now.getTime() / 1000))
      const { timestamp: last } = await stage.node.getBlock()
      if (timestamp > last) await stage.node.setNextBlockTimestamp({ timestamp })
      await stage.mine(fraction() < 0.5 ? 1 : CONFIRMATIONS)
    }
    const settle = async (): Promise<void> => {
      beforeBlock = null
      await stage.settle()
    }
    const withdraw = async (): Promise<void> => {
      if (request !== null) await withdrawRequest(signing.api, request)
    }
    const track = async (): Promise<void> => {
      await daemon().relayer.turn()
    }
    const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
      ...Array.from({ length: 4 }, () => ['sign', sign] as const),
      ['retry', () => send(signed.at(-1))],
      ['retry an old one', async () => (signed.length === 0 ? undefined : send(pick(signed)))],
      ['withdraw', withdraw],
      ...Array.from({ length: 3 }, () => ['daemon', () => daemon().turn()] as const),
      ['two daemons', () => Promise.all([daemon().turn(), daemon().turn()])],
      ['killed before it broadcasts', () => daemon({ broadcast: killed }).turn()],
      ['killed after it broadcast', killedAfter],
      ...Array.from({ length: 3 }, () => ['follow', () => daemon().follow()] as const),
      ...Array.from({ length: 2 }, () => ['track', track] as const),
      ['stranger', sendAsStranger],
      ...Array.from({ length: 3 }, () => ['mine', mine] as const),
      ['take back', takeBack],
      ['settle', settle],
      ['some seconds', () => pass(25)],
      ['minutes', () => pass(301)],
    ]
    return {
      choose: () => pick(steps),
      /** All that waits is carried out, and the client asks once more. */
      end: async (): Promise<void> => {
        for (let round = 0; round < 3; round += 1) {
          for (const act of [
            sign,
            () => daemon().turn(),
            track,
            sendAsStranger,
            mine,
            () => daemon().follow(),
          ]) {
            await act()
          }
          await pass(301)
          await track()
          await settle()
          await daemon().follow()
        }
      },
    }
  }
})
