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

/** Maximum checks in progress in a daemon. */
const MOST = 50
const CHAIN_ID = 31337

describe('the worker for checks', () => {
  let database: TestDatabase
  let daemon: Sql
  let node: RpcProxy

  before(async () => {
    database = await createTestDatabase()
    daemon = connectForTest(database.url.daemon)
    node = await startRpcProxy('http://127.0.0.1:9')
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
  })

  after(async () => {
    await node.stop()
    await daemon.end()
    await database.drop()
  })

  it('responds in time, and starts no further check while the maximum number of checks still wait for a node', async () => {
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
    for (let number = 0; number <= MOST; number += 1) await ask()

    await worker.turn()
    await worker.settle()
    expect(await count('responded')).to.equal(MOST)
    await worker.turn()
    expect(await count('consumed'), 'the last one waits').to.equal(MOST)

    wakeNode()
    await waitFor(() => ended === MOST, { what: 'the checks to end', timeoutMs: 60_000 })
    await worker.turn()
    await worker.settle()
    expect(await count('responded')).to.equal(MOST + 1)
  }).timeout(240_000)

  async function ask(): Promise<void> {
    const { id: chargeId } = await insertPonderCharge(database.sql, { chainId: CHAIN_ID })
    const id = newId('req', Date.now())
    const payload = { hint: null }
    await insertChargeRequest(database.sql, {
      ...{ id, chargeId, apiRequestId: randomUUID(), payload },
      ...{ kind: 'check', organizationId: 'org_one' },
    })
  }

  async function count(state: 'responded' | 'consumed'): Promise<number> {
    const [row] = await database.sql<[{ count: number }]>`
      select count(*) from requests where ${database.sql(`${state}_at`)} is not null`
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
