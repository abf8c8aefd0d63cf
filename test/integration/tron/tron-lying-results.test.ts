import { expect } from 'chai'
import { toFunctionSelector } from 'viem'

import {
  BLOCKS_TO_EXPIRE,
  createTronPayoutFixture,
  GRACE_SECONDS,
  startTronChain,
  type TronCharge,
  type TronPayoutFixture,
} from '../../support/tron-payout-fixture.ts'
import { startTronProxy, type TronProxy } from '../../support/tron-proxy.ts'

const HOUR = 3600
const SIMULATION = '/wallet/triggerconstantcontract'
const SOLID_HEAD = '/walletsolidity/getblock'
const SOLID_INFO = '/walletsolidity/gettransactioninfobyid'

type Simulated = { readonly transaction: object }
type Asked = { readonly value?: string }
type SolidBlock = { readonly block_header: { readonly raw_data: { readonly timestamp: number } } }

describe('a TRON payout while one of the nodes lies', function () {
  this.timeout(240_000)

  let tron: Awaited<ReturnType<typeof startTronChain>>
  let stage: TronPayoutFixture
  let charge: TronCharge
  let liar: TronProxy
  let other: TronProxy

  before(async () => {
    tron = await startTronChain()
  })
  after(() => tron.stop())
  beforeEach(async () => {
    stage = await createTronPayoutFixture(tron)
    ;[liar, other] = [await startTronProxy(tron.url), await startTronProxy(tron.url)]
    charge = await stage.pay(10_000_000n)
    stage.advance(GRACE_SECONDS)
  })
  afterEach(async () => {
    stage.chain.habits.drops = 0
    await Promise.all([liar.stop(), other.stop()])
    await stage.close()
  })

  const statuses = async () => (await stage.transactions()).map(({ status }) => status)

  for (const place of ['first', 'second'] as const)
    for (const error of ['NothingToDistribute()', 'AllPayoutsFailed()', 'Other()'])
      it(`is paid in the first attempt if the ${place} of two nodes reports that every call reverts with ${error}`, async () => {
        liar.rule(reverting(error))
        const urls = place === 'first' ? [liar.url, stage.url] : [stage.url, liar.url]
        await stage.cast({ urls }).turn()
        await stage.mine()
        expect(await stage.payoutOf(charge)).to.include({
          status: 'processing',
          attempts: 1,
          lastError: null,
        })
        expect(stage.distributionsOf(charge)).to.equal(1)
      })

  it('does not fail after ten reverts that only one node reports while the other node is silent', async () => {
    liar.rule(reverting('Other()'))
    other.rule((path) => (path === SIMULATION ? 'refuse' : 'pass'))
    const { turn } = stage.cast({ urls: [liar.url, other.url] })
    for (let look = 0; look < 10; look += 1) {
      await turn()
      stage.advance(HOUR)
    }
    expect(await stage.payoutOf(charge)).to.include({ status: 'pending', attempts: 0 })
    other.rule(() => 'pass')
    await turn()
    expect(await stage.transactions()).to.have.lengthOf(1)
  })

  it('is made within our energy limit even if one node reports that the payout needs more energy', async () => {
    liar.rule((path) =>
      path === SIMULATION ? (said: object) => ({ ...said, energy_used: 90_000_000 }) : 'pass',
    )
    await stage.cast({ urls: [liar.url, stage.url] }).turn()
    await stage.mine()
    expect(stage.distributionsOf(charge)).to.equal(1)
  })

  it('does not expire early because of one node’s solidified head in the future, even while the other node is silent', async () => {
    const { turn, relayer } = stage.cast({ urls: [liar.url, other.url] })
    stage.chain.habits.drops = 1
    await turn()
    await stage.mine()
    liar.rule((path) => (path === SOLID_HEAD ? inTheFuture : 'pass'))
    await relayer.turn()
    other.rule((path) => (path.startsWith('/walletsolidity') ? 'refuse' : 'pass'))
    await relayer.turn()
    expect(await statuses()).to.deep.equal(['signed'])
    expect(await stage.transactions()).to.have.lengthOf(1)
  })

  it('does not expire early because of a quorum’s solidified heads ahead of our clock', async () => {
    const { turn, relayer } = stage.cast({ urls: [liar.url, other.url] })
    await turn()
    for (const node of [liar, other]) node.rule((path) => (path === SOLID_HEAD ? inTheFuture : 'pass'))
    await relayer.turn()
    expect(await statuses()).to.deep.equal(['signed'])
  })

  it('waits for a third node while two nodes contradict each other about the result', async () => {
    await stage.cast({ urls: [liar.url, stage.url] }).turn()
    await stage.mine(20)
    liar.rule((path) => (path === SOLID_INFO ? () => ({}) : 'pass'))
    await stage.cast({ urls: [liar.url, stage.url] }).relayer.turn()
    expect(await statuses()).to.deep.equal(['signed'])
    await stage.cast({ urls: [liar.url, stage.url, other.url] }).relayer.turn()
    expect(await statuses()).to.deep.equal(['final'])
  })

  it('is reopened ten minutes after a node reported a false success, and then paid', async () => {
    stage.chain.habits.drops = 1
    const first = stage.cast({ urls: [liar.url] })
    await first.turn()
    await stage.mine(BLOCKS_TO_EXPIRE + 1)
    const blockNumber = stage.chain.solid().number
    liar.rule((path) =>
      path === SOLID_INFO ? (_: object, asked: Asked) => successOf(asked, blockNumber) : 'pass',
    )
    await first.relayer.turn()
    expect(await statuses()).to.deep.equal(['final'])

    const { turn, relayer } = stage.cast({ urls: [stage.url, other.url] })
    stage.advance(599)
    await relayer.turn()
    await turn()
    expect(await statuses(), 'its event might still arrive').to.deep.equal(['final'])
    stage.advance(1)
    await relayer.turn()
    expect(await statuses()).to.deep.equal(['expired'])
    await turn()
    await stage.mine()
    expect(stage.distributionsOf(charge)).to.equal(1)
    expect(await stage.payoutOf(charge)).to.include({ attempts: 1 })
  })
})

/** Makes the node report a revert for every simulation. */
function reverting(error: string) {
  const said = {
    transaction: { ret: [{ ret: 'FAILED' }] },
    constant_result: [toFunctionSelector(error).slice(2)],
  }
  return (path: string) => (path === SIMULATION ? (answer: Simulated) => ({ ...answer, ...said }) : 'pass')
}

function inTheFuture(block: SolidBlock) {
  const { raw_data: raw } = block.block_header
  return { ...block, block_header: { raw_data: { ...raw, timestamp: raw.timestamp + 3_600_000 } } }
}

function successOf({ value }: Asked, blockNumber: number) {
  return { id: value, blockNumber, receipt: { result: 'SUCCESS' } }
}
