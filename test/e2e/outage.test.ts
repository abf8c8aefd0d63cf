import { expect } from 'chai'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { BASE } from '../devnet/networks.ts'
import { findToken } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { listPonders } from '../support/ponder-processes.ts'
import {
  createCharge,
  expectPaidOnce,
  expireAt,
  getCharge,
  pay,
  query,
  SETTLED_WITHIN_MS,
  testClient,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

describe('an outage of our processes', function () {
  this.timeout(300_000)
  let devnet: Devnet

  before(async () => {
    const directory = await temporaryDirectory('e2e-outage')
    devnet = await startDevnet({ directory, program: 'dist', chains: [BASE], graceSeconds: 1 })
  })

  after(() => devnet?.stop())

  it('does not lose a payment that was mined while all processes were down', async () => {
    const charge = await createCharge(devnet)
    await Promise.all([devnet.indexer.stop(), devnet.api.stop()])
    await pay(devnet, { charge })
    await Promise.all([devnet.indexer.start(), devnet.api.start()])
    await waitUntilSettled(devnet, charge.id)
    await expectPaidOnce(devnet, charge)
  })

  it('does not lose a payment that was made while Ponder was restarting', async () => {
    const charge = await createCharge(devnet)
    for (const pid of listPonders(devnet.indexer.pid())) process.kill(pid, 'SIGKILL')
    await pay(devnet, { charge })
    await waitUntilSettled(devnet, charge.id)
    await expectPaidOnce(devnet, charge)
  })

  it('does not expire a charge that was paid before its deadline, and does not confirm a charge that was paid after it', async () => {
    const inTime = await createCharge(devnet)
    const late = await createCharge(devnet)
    await devnet.indexer.stop()
    const anvil = testClient(devnet)
    await anvil.setIntervalMining({ interval: 0 })
    const { client } = findToken(devnet.description, { token: 'USDC', network: 'base' })
    const { timestamp } = await client.getBlock()
    const expiresAt = timestamp + 10n
    await expireAt(devnet, { ids: [inTime.id, late.id], seconds: expiresAt })
    await payInBlockStamped(devnet, { charge: inTime, timestamp: expiresAt - 1n })
    await payInBlockStamped(devnet, { charge: late, timestamp: expiresAt + 1n })
    await waitFor(() => Date.now() / 1000 > Number(expiresAt) + 1, {
      what: 'the deadline to pass while the indexer is down',
      timeoutMs: 60_000,
    })
    await anvil.setIntervalMining({ interval: 1 })
    await devnet.indexer.start()
    const confirmed = await waitForCharge(devnet, inTime.id, {
      what: 'confirmed',
      holds: ({ status }) => status !== 'pending',
    })
    expect(confirmed.status).to.equal('confirmed')
    const expired = await waitForCharge(devnet, late.id, {
      what: 'credited and expired',
      holds: ({ status, amountReceivedExact }) => status !== 'pending' && amountReceivedExact !== null,
    })
    expect(expired).to.deep.include({ status: 'expired', amountReceivedExact: '10' })
    await waitUntilSettled(devnet, late.id) // The late payment still belongs to the merchant.
  })

  it('is bridged by a second daemon, which takes over the chain of a killed daemon and pays out nothing twice', async () => {
    const [secondIndexer, secondApi] = await Promise.all([
      devnet.addService('indexer', 'indexer-2'),
      devnet.addService('api', 'api-2'),
    ])
    await Promise.all([secondIndexer.start(), secondApi.start()])
    const together = await Promise.all(Array.from({ length: 5 }, () => createCharge(devnet)))
    for (const charge of together) await pay(devnet, { charge })
    for (const charge of together) await waitUntilSettled(devnet, charge.id)
    for (const charge of together) await expectPaidOnce(devnet, charge)
    expect(await countOwners(devnet)).to.equal(devnet.chains.length)
    expect(listPonders(secondIndexer.pid())).to.deep.equal([])

    const orphaned = await createCharge(devnet)
    await devnet.indexer.kill()
    await pay(devnet, { charge: orphaned })
    await waitUntilSettled(devnet, orphaned.id)
    await expectPaidOnce(devnet, orphaned)
    expect(await countOwners(devnet)).to.equal(devnet.chains.length)
    expect(await getCharge(devnet, orphaned.id)).to.deep.include({ amountReceivedExact: '10' })
    await secondIndexer.stop()
    await secondApi.stop()
  })
})

async function payInBlockStamped(
  devnet: Devnet,
  payment: { charge: Parameters<typeof pay>[1]['charge']; timestamp: bigint },
): Promise<void> {
  const anvil = testClient(devnet)
  const paid = pay(devnet, payment)
  await waitFor(async () => (await anvil.getTxpoolStatus()).pending > 0, {
    what: 'the payment to be in the pool',
    timeoutMs: SETTLED_WITHIN_MS,
  })
  await anvil.setNextBlockTimestamp({ timestamp: payment.timestamp })
  await anvil.mine({ blocks: 1 })
  await paid
}

/** Counts the database sessions that hold the lock on a chain's Ponder. */
async function countOwners(devnet: Devnet): Promise<number> {
  const [row] = await query(
    devnet,
    (sql) => sql<[{ owners: number }]>`
      select count(*) as owners from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and a.application_name = 'ponder-owner'`,
  )
  return row.owners
}
