import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import { buildWatchedDeployment } from '../../../indexer/chain-feed/watched-deployment.ts'
import {
  diffBalances,
  listComparedBalances,
  readObservedBalances,
} from '../../../indexer/reconciliation/compare-balances.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import type { ReconciledCharge } from '../../../shared/db/chain-facts/reconciliations.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { mergeNetworks } from '../../../shared/runtime/merge-networks.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import type { Anvil } from '../../devnet/anvil.ts'
import { type ArcWallet, createArcWallet } from '../../devnet/arc/arc-wallet.ts'
import { startArc } from '../../devnet/arc/start-arc.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { createTestFeed, insertPonderCharge, PONDER_TIMEOUT_MS } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const DOLLAR_WEI = 10n ** 18n
const DOLLAR_UNITS = 10n ** 6n

describe('a chain feed with a real Ponder and a local Arc', function () {
  this.timeout(PONDER_TIMEOUT_MS)

  let directory: string
  let arc: Anvil
  let payer: ArcWallet
  let database: TestDatabase
  let sql: Sql
  let feed: ReturnType<typeof createTestFeed>
  let proxy: RpcProxy

  before(async () => {
    directory = await temporaryDirectory('arc-feed')
    arc = await startArc({ name: 'arc', chainId: 5042, blockMs: 250, directory })
    proxy = await startRpcProxy(arc.rpcUrl)
    payer = createArcWallet(arc, ACCOUNTS.payer)
    database = await createTestDatabase()
    sql = connectForTest(database.url.daemon)
    await database.sql`insert into organizations (id, name) values ('org_one', 'one')`
    await startFeed(0)
  })

  after(async () => {
    await feed?.stop()
    await sql?.end()
    await database?.drop()
    await proxy?.stop()
    await arc?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  async function startFeed(sleepAfterSeconds: number, node: Pick<Anvil, 'rpcUrl'> = arc): Promise<void> {
    const urls = { daemonUrl: database.url.daemon, ponderUrl: database.url.ponder }
    feed = createTestFeed({ sql, ...urls, deployment: deploymentOf(node) }, { sleepAfterSeconds })
    await feed.start()
  }

  const charge = () => insertPonderCharge(database.sql, { chainId: 5042, acceptedPayments: ['USDC/arc'] })
  const rowsOf = (address: Address) => sql<{ amountAtto: bigint; accepted: boolean }[]>`
    select t.amount_atto, t.accepted from transfers t join charges c on c.id = t.charge_id
    where c.address = ${address} order by t.id`
  const level = async () => {
    const tip = Number(await payer.client.getBlockNumber())
    await waitFor(
      async () => {
        const [row] = await sql<{ headNumber: number | null }[]>`select head_number from deployments`
        return (row?.headNumber ?? -1) >= tip
      },
      { what: `the feed to apply block ${tip}`, timeoutMs: PONDER_TIMEOUT_MS },
    )
  }

  it('records a native transfer and an ERC-20 transfer once each, to the 18th decimal', async () => {
    const { address } = await charge()
    await payer.sendNative(address, DOLLAR_WEI + 1n)
    await payer.sendToken(address, 2n * DOLLAR_UNITS)
    await level()
    const rows = await rowsOf(address)
    expect(rows.map(({ amountAtto }) => amountAtto)).to.deep.equal([DOLLAR_WEI + 1n, 2n * DOLLAR_WEI])
    expect(rows.every(({ accepted }) => accepted)).to.equal(true)
  })

  it('records the payment of an authorization once, even if two contracts log it', async () => {
    const { address } = await charge()
    const { logs } = await payer.sendSigned(ACCOUNTS.payer2, address, 3n * DOLLAR_UNITS)
    // One log of the native coin, one of the authorization and one of the token.
    expect(logs.length).to.equal(3)
    await level()
    const amounts = (await rowsOf(address)).map(({ amountAtto }) => amountAtto)
    expect(amounts).to.deep.equal([3n * DOLLAR_WEI])
  })

  it('records two native transfers below one unit of the token, a transfer by a contract, and a mint, but no reverted transfer', async () => {
    const { address } = await charge()
    const dust = 600_000_000_000n
    await payer.sendNative(address, dust)
    await payer.sendNative(address, dust)
    await payer.sendThroughContract(address, DOLLAR_WEI)
    await payer.mint(address, DOLLAR_UNITS)
    await payer.sendInRevertedFrame(address, DOLLAR_WEI)
    await level()
    const amounts = (await rowsOf(address)).map(({ amountAtto }) => amountAtto)
    expect(amounts).to.deep.equal([dust, dust, DOLLAR_WEI, DOLLAR_WEI])
  })

  it('has rows that match the balances of the charges, to one unit of the token', async () => {
    const { id, address, split: splitAddress } = await charge()
    await payer.sendNative(address, 1_600_000_000_000n)
    await payer.sendNative(address, 600_000_000_000n)
    await level()
    const block = Number(await payer.client.getBlockNumber())
    const deployment = buildWatchedDeployment(deploymentOf(arc))
    const reconciled: ReconciledCharge = {
      ...{ id, address, splitAddress, environment: 'live', createdAt: new Date(), isEscrow: false },
      acceptedPayments: ['USDC/arc'],
    }
    const { rpcUrl: url } = arc
    const node = { url, client: createChainClient({ chainId: 5042, rpcUrls: [url] }) }
    const balances = listComparedBalances([reconciled], deployment)
    const found = await readObservedBalances(node, { balances, block })
    expect(found.map(({ foundAtomic }) => foundAtomic)).to.deep.equal([2n])
    const explain = () => diffBalances({ db: sql, deployment }, { found, block })
    expect(await explain()).to.deep.equal([])
    await sql`update transfers set amount_atto = amount_atto - 300000000000 where charge_id = ${id}`
    expect((await explain()).map(({ expectedAtomic }) => expectedAtomic)).to.deep.equal([1n])
  })

  it('records payments before Ponder has started if their charge wakes the network, and keeps one row each afterwards', async () => {
    await feed.stop()
    await database.sql`update charges set status = 'expired', last_activity_at = now() - interval '1 hour'`
    await database.sql`
      update transfers set credited_at = now(), agreed_at = now(), agreed_by = '{before-quorum}'`
    await startFeed(1, { rpcUrl: proxy.url })
    const isAsleep = async () =>
      (await sql`select from deployments where asleep_since is not null`).length > 0
    await waitFor(isAsleep, { what: 'the network to sleep', timeoutMs: PONDER_TIMEOUT_MS })
    // Ponder reads whole blocks, the daemon only their headers. No Ponder, however quick, shows the payments first.
    let release: () => void = () => undefined
    const stall = new Promise<void>((resolve) => {
      release = resolve
    })
    proxy.rule(async (_method, params): Promise<'pass'> => {
      if (params[1] === true) await stall
      return 'pass'
    })
    const { address } = await charge()
    await payer.sendNative(address, DOLLAR_WEI + 1n)
    await payer.sendToken(address, 2n * DOLLAR_UNITS)
    const amounts = async () => (await rowsOf(address)).map(({ amountAtto }) => amountAtto)
    await waitFor(async () => (await amounts()).length === 2, {
      what: 'the payments to be seen',
      timeoutMs: PONDER_TIMEOUT_MS,
      intervalMs: 10,
    })
    expect(await sql`select from transfers where ponder_schema is null`).to.have.lengthOf(2)
    release()
    await level()
    expect(await sql`select from transfers where ponder_schema is null`).to.have.lengthOf(0)
    expect(await amounts()).to.deep.equal([DOLLAR_WEI + 1n, 2n * DOLLAR_WEI])
  })
})

function deploymentOf({ rpcUrl }: Pick<Anvil, 'rpcUrl'>) {
  const { deployments, problems } = mergeNetworks({
    registry: REGISTRY,
    file: {
      arc: {
        live: {
          ...nodesAt([rpcUrl]),
          startBlock: 0,
          pollingIntervalMs: 200,
          tokens: { USDC: { enabled: true } },
        },
      },
    },
    selection: 'arc:live',
  })
  const [deployment] = deployments
  expect(problems).to.deep.equal([])
  if (deployment === undefined) throw new Error('the registry has no Arc')
  return deployment
}
