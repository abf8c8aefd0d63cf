import { execFile } from 'node:child_process'
import { expect } from 'chai'
import { requireUnchangedTokens } from '../../../indexer/chain-feed/require-unchanged-tokens.ts'
import { createReconciliationLoop } from '../../../indexer/reconciliation/reconciliation-loop.ts'
import { createOwnerLock } from '../../../shared/db/chain-facts/daemon/owner-lock.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { syncPairs } from '../../../shared/db/organizations/daemon/pairs.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Token } from '../../../shared/domain/networks.ts'
import { ConfigError } from '../../../shared/runtime/config-error.ts'
import type { DeploymentConfig } from '../../../shared/runtime/networks-config.ts'
import { compiled } from '../../devnet/compiled.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { nodesAt } from '../../support/nodes-at.ts'
import { createTestFeed } from '../../support/ponder-fixture.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { insertBase, OTHER_ADDRESS, SOME_ADDRESS } from '../../support/rows.ts'

const BASE = 8453

describe('the daemon at startup', () => {
  let database: TestDatabase
  let daemon: Sql

  before(async () => {
    database = await createTestDatabase()
    await insertBase(database.sql)
    daemon = connectForTest(database.url.daemon)
    await syncPairs(daemon, BASE, [
      { chainId: BASE, network: 'base', environment: 'live', ...describeToken('USDC', SOME_ADDRESS) },
      { chainId: BASE, network: 'base', environment: 'live', ...describeToken('USDT', OTHER_ADDRESS) },
    ])
  })
  after(async () => {
    await daemon.end()
    await database.drop()
  })

  const refusalOf = (tokens: readonly ReturnType<typeof describeToken>[], chainId = BASE) =>
    requireUnchangedTokens(daemon, [{ chainId, tokens }]).then(
      () => [],
      (error: unknown) => {
        expect(error).to.be.instanceOf(ConfigError)
        return (error as ConfigError).problems
      },
    )
  const forgotten = [
    `NETWORKS_CONFIG: base:live does not describe USDT at ${OTHER_ADDRESS}, which charges may still accept: ` +
      `its tokens must have {"USDT":{"address":"${OTHER_ADDRESS}","decimals":6,"enabled":false}}, ` +
      'which is watched but not available',
  ]
  const usdc = describeToken('USDC', SOME_ADDRESS)

  it('accepts a token that is configured and disabled', async () => {
    const usdt = { ...describeToken('USDT', OTHER_ADDRESS), enabled: false }
    expect(await refusalOf([usdc, usdt])).to.deep.equal([])
  })

  it('rejects a configuration without a token that it once watched', async () => {
    expect(await refusalOf([usdc])).to.deep.equal(forgotten)
  })

  it('rejects another contract for a token that it once watched', async () => {
    const another = `0x${'33'.repeat(20)}`
    expect(await refusalOf([usdc, describeToken('USDT', another)])).to.deep.equal(forgotten)
  })

  it('rejects different decimals for a token that it once watched', async () => {
    const usdt = { ...describeToken('USDT', OTHER_ADDRESS), decimals: 18 }
    expect(await refusalOf([usdc, usdt])).to.deep.equal([
      `NETWORKS_CONFIG: base:live describes USDT at ${OTHER_ADDRESS} with decimals 18, but its payments ` +
        'have been counted with 6: must be 6',
    ])
  })

  it('ignores the tokens of a deployment that it does not watch', async () => {
    expect(await refusalOf([], 56)).to.deep.equal([])
  })

  describe('with an older token list than the previous daemon', () => {
    const deployment: DeploymentConfig = {
      ...{
        network: 'base',
        environment: 'live',
        family: 'evm',
        chainId: BASE,
        ...nodesAt(['http://127.0.0.1:9']),
      },
      ...{ confirmations: 3, finalityBlocks: 30, startBlock: 0, blockTimeMs: 1000, pollingIntervalMs: 100 },
      tokens: [usdc],
    }

    it('leaves the deployment to another daemon, and logs the required configuration', async () => {
      const feed = createTestFeed({
        ...{ sql: daemon, deployment },
        ...{ daemonUrl: database.url.daemon, ponderUrl: database.url.ponder },
      })
      const lock = createOwnerLock({ databaseUrl: database.url.daemon, chainId: BASE })
      await feed.start()
      await waitFor(() => refusalIn(feed.lines), {
        what: 'the log message that rejects the token',
        timeoutMs: 60_000,
      })
      await waitFor(async () => (await lock.hold()) === 'taken', {
        what: 'the lock to be free for another daemon',
        timeoutMs: 60_000,
      })
      await feed.stop()
      await lock.release()
      expect(feed.lines.map(({ msg }) => msg)).not.to.include('Acquired the owner lock of a deployment')
    })

    it('does not scan blocks, because the daemon with the complete token list would not scan them again', async () => {
      const { log, lines } = recordingLog()
      const loop = createReconciliationLoop({
        ...{ sql: daemon, deployment, log, now: () => new Date() },
        metrics: {
          countFound: () => undefined,
          countUnexplained: () => undefined,
          noteVerdict: () => undefined,
        },
        onNews: () => undefined,
      })
      loop.start()
      await waitFor(() => refusalIn(lines), {
        what: 'the log message that rejects the token',
        timeoutMs: 60_000,
      })
      await loop.stop()
    })

    const refusalIn = (lines: readonly { readonly error?: unknown }[]) =>
      lines.find(({ error }) => JSON.stringify(error ?? null).includes('does not describe USDT'))
  })

  it('exits with 1 and logs the required configuration before it watches a chain', async () => {
    const { code, output } = await startIndexer({
      INDEXER_DATABASE_URL: database.url.daemon,
      PONDER_DATABASE_URL: database.url.ponder,
      TREASURY_ADDRESS: `0x${'77'.repeat(20)}`,
      INDEXER_INTERNAL_PORT: '0',
      DEPLOYMENTS: 'base:live',
    })
    // The registry has other addresses for both tokens.
    expect(output).to.include(`does not describe USDC at ${SOME_ADDRESS}`)
    expect(output).to.include(`does not describe USDT at ${OTHER_ADDRESS}`)
    expect(output).not.to.include('Acquired the owner lock')
    expect(code).to.equal(1)
  }).timeout(240_000)
})

function describeToken(token: Token, address: string) {
  return {
    ...{ token, address: address as Address, tokenAddress: address as Address },
    ...{ decimals: 6, enabled: true, restriction: null },
  }
}

async function startIndexer(
  env: Readonly<Record<string, string>>,
): Promise<{ code: unknown; output: string }> {
  const args = [await compiled('indexer/main.ts')]
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { env: { PATH: process.env['PATH'], ...env } },
      (error, stdout, stderr) => done({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}
