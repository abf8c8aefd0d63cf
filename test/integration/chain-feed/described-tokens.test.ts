import { execFile } from 'node:child_process'
import { expect } from 'chai'
import { requireDescribedTokens } from '../../../indexer/chain-feed/require-described-tokens.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { syncPairs } from '../../../shared/db/pairs.ts'
import type { Address } from '../../../shared/domain/address.ts'
import type { Token } from '../../../shared/domain/networks.ts'
import { ConfigError } from '../../../shared/runtime/config-error.ts'
import { connectForTest, createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertBase, OTHER_ADDRESS, SOME_ADDRESS } from '../../support/rows.ts'

const BASE = 8453

describe('the daemon, when it starts', () => {
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
    requireDescribedTokens(daemon, [{ chainId, tokens }]).then(
      () => [],
      (error: unknown) => {
        expect(error).to.be.instanceOf(ConfigError)
        return (error as ConfigError).problems
      },
    )
  const forgotten = [
    `NETWORKS_CONFIG: base:live does not describe USDT at ${OTHER_ADDRESS}, which charges may still be paid in: ` +
      `its tokens must have {"USDT":{"address":"${OTHER_ADDRESS}","decimals":6,"enabled":false}}, ` +
      'which is watched and not offered',
  ]
  const usdc = describeToken('USDC', SOME_ADDRESS)

  it('takes a token that is described and switched off', async () => {
    const usdt = { ...describeToken('USDT', OTHER_ADDRESS), enabled: false }
    expect(await refusalOf([usdc, usdt])).to.deep.equal([])
  })

  it('refuses to forget a token that it once watched', async () => {
    expect(await refusalOf([usdc])).to.deep.equal(forgotten)
  })

  it('refuses another contract for a token that it once watched', async () => {
    const another = `0x${'33'.repeat(20)}`
    expect(await refusalOf([usdc, describeToken('USDT', another)])).to.deep.equal(forgotten)
  })

  it('refuses other decimals for a token that it once watched', async () => {
    const usdt = { ...describeToken('USDT', OTHER_ADDRESS), decimals: 18 }
    expect(await refusalOf([usdc, usdt])).to.deep.equal([
      `NETWORKS_CONFIG: base:live describes USDT at ${OTHER_ADDRESS} with decimals 18, but it was watched with 6, by ` +
        'which charges are counted: must be 6',
    ])
  })

  it('asks nothing of a deployment that it is not to watch', async () => {
    expect(await refusalOf([], 56)).to.deep.equal([])
  })

  it('exits with 1 and says what to write, before it watches anything', async () => {
    const { code, output } = await startIndexer({
      INDEXER_DATABASE_URL: database.url.daemon,
      INDEXER_INTERNAL_PORT: '0',
      DEPLOYMENTS: 'base:live',
    })
    // The registry's own contracts are others.
    expect(output).to.include(`does not describe USDC at ${SOME_ADDRESS}`)
    expect(output).to.include(`does not describe USDT at ${OTHER_ADDRESS}`)
    expect(output).not.to.include('Took the ownership')
    expect(code).to.equal(1)
  }).timeout(30_000)
})

function describeToken(token: Token, address: string) {
  return {
    ...{ token, address: address as Address, tokenAddress: address as Address },
    ...{ decimals: 6, enabled: true, restriction: null },
  }
}

function startIndexer(env: Readonly<Record<string, string>>): Promise<{ code: unknown; output: string }> {
  const args = ['--import', 'tsx', 'indexer/main.ts']
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { env: { PATH: process.env['PATH'], ...env } },
      (error, stdout, stderr) => done({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}
