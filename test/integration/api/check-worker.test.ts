import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createCheckWorker } from '../../../indexer/charge-checks/check-worker.ts'
import { createCheckedChain } from '../../../indexer/corroboration/checked-chain.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { insertChargeRequest } from '../../../shared/db/requests/charge-requests.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { insertPonderCharge, USDC } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

/** Maximum checks in progress: `MOST` per daemon, `SHARE` per organization. */
const MOST = 50
const SHARE = 10
const ORGANIZATIONS = ['org_one', 'org_two', 'org_three', 'org_four', 'org_five', 'org_six']
const CHAIN_ID = 31337

describe('the worker for checks', () => {
  let database: TestDatabase
  let daemon: Sql
  let node: RpcProxy

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    node = await startRpcProxy('http://127.0.0.1:9')
    for (const id of ORGANIZATIONS)
      await database.sql`insert into organizations (id, name) values (${id}, ${id})`
  })

  afterEach(() => database.sql`delete from requests`)

  after(async () => {
    await node.stop()
    await daemon.end()
    await database.drop()
  })

  it('responds in time, and starts no check while the maximum number of checks waits for a node', async () => {
    const { worker, ended, wakeNode } = sleepingNode()
    for (let number = 0; number <= MOST; number += 1) await ask(ORGANIZATIONS[number % 6])

    await worker.turn()
    await worker.settle()
    expect(await count('responded')).to.equal(MOST)
    await worker.turn()
    expect(await count('consumed'), 'the last check waits').to.equal(MOST)

    wakeNode()
    await waitFor(() => ended() === MOST, { what: 'the checks to end', timeoutMs: 60_000 })
    await worker.turn()
    await worker.settle()
    expect(await count('responded')).to.equal(MOST + 1)
  }).timeout(240_000)

  it('starts at most 10 checks of one organization, so that other organizations’ checks do not wait', async () => {
    const { worker, ended, wakeNode } = sleepingNode()
    for (let number = 0; number <= SHARE; number += 1) await ask('org_one')
    await worker.turn()
    await ask('org_two')
    await worker.turn()
    expect(await count('consumed', 'org_one')).to.equal(SHARE)
    expect(await count('consumed', 'org_two')).to.equal(1)

    wakeNode()
    await waitFor(() => ended() === SHARE + 1, { what: 'the checks to end', timeoutMs: 60_000 })
    await worker.turn()
    await worker.settle()
    expect(await count('responded', 'org_one'), 'the last check follows').to.equal(SHARE + 1)
  }).timeout(240_000)

  it('starts one check of each organization before a second check of any organization', async () => {
    const { worker, wakeNode } = sleepingNode()
    for (const id of ORGANIZATIONS.slice(0, 5))
      for (let number = 0; number < SHARE; number += 1) await ask(id)
    await ask('org_six')
    await worker.turn()
    expect(await count('consumed', 'org_six')).to.equal(1)
    expect(await count('consumed')).to.equal(MOST)
    wakeNode()
    await worker.settle()
  }).timeout(240_000)

  /** Creates a worker whose only node does not respond until it is woken. */
  function sleepingNode() {
    let wakeNode: () => void = () => undefined
    const asleep = new Promise<void>((resolve) => {
      wakeNode = resolve
    })
    node.rule(() => asleep.then(() => 'error'))
    let ended = 0
    const worker = createCheckWorker({
      ...{ sql: daemon, chains: [createCheckedChain(describeBase(node.url))], now: () => new Date() },
      ...{ log: recordingLog().log, timeoutMs: 200, takeTurn: () => Promise.resolve() },
      onFree: () => {
        ended += 1
      },
    })
    return { worker, ended: () => ended, wakeNode: () => wakeNode() }
  }

  async function ask(organizationId = 'org_one'): Promise<void> {
    const { id: chargeId } = await insertPonderCharge(database.sql, { chainId: CHAIN_ID, organizationId })
    const id = newId('req', Date.now())
    const payload = { hint: null }
    await insertChargeRequest(database.sql, {
      ...{ id, chargeId, apiRequestId: randomUUID(), payload },
      ...{ kind: 'check', organizationId },
    })
  }

  async function count(state: 'responded' | 'consumed', organizationId = ''): Promise<number> {
    const [row] = await database.sql<[{ count: number }]>`
      select count(*) from requests where ${database.sql(`${state}_at`)} is not null
        and ${organizationId} in ('', organization_id)`
    return row.count
  }
})

function describeBase(rpcUrl: string): Parameters<typeof createCheckedChain>[0] {
  return {
    ...{ network: 'base', environment: 'live', family: 'evm', chainId: CHAIN_ID, ...nodesAt([rpcUrl]) },
    ...{ confirmations: 3, blockTimeMs: 1000, pollingIntervalMs: 100, finalityBlocks: 30 },
    tokens: [{ token: 'USDC', address: USDC, decimals: 6, enabled: true, restriction: null }],
  }
}
