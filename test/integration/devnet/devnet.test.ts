import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { erc20Abi } from 'viem'

import { requireData } from '../../../api/client/client.ts'
import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { connect } from '../../../shared/db/connect.ts'
import { hashApiKey } from '../../../shared/domain/api-key.ts'
import { SCOPES } from '../../../shared/domain/scope.ts'
import { createApiCaller } from '../../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../../devnet/devnet.ts'
import { findCommandLine } from '../../devnet/find-command-line.ts'
import { BASE } from '../../devnet/networks.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import type { DevnetDescription } from '../../devnet/write-description.ts'
import { chainAt } from '../../support/chain-at.ts'

describe('the devnet without its API and indexer', function () {
  this.timeout(240_000)

  let directory: string
  let devnet: Devnet

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'devnet-'))
    devnet = await startDevnet({ directory, startsServices: false })
  })

  after(async () => {
    await devnet.stop()
    await rm(directory, { recursive: true })
  })

  it('writes its description to devnet.json', async () => {
    const written = JSON.parse(await readFile(join(directory, 'devnet.json'), 'utf8')) as DevnetDescription
    expect(written).to.deep.equal(devnet.description)
  })

  it('has chains with different ids, each with our contracts and Multicall3', async () => {
    const ids = new Set<number>()
    for (const { anvil } of devnet.chains) {
      const client = createChainClient({ chainId: anvil.chainId, rpcUrls: [anvil.rpcUrl] })
      expect(
        await checkContracts(chainAt([anvil.rpcUrl], { chainId: anvil.chainId }), { family: 'evm' }),
      ).to.equal('match')
      expect(
        await client.getCode({ address: '0xcA11bde05977b3631167028862bE2a173976CA11' }),
      ).to.have.length.above(2)
      ids.add(anvil.chainId)
    }
    expect([...ids]).to.deep.equal([31337, 31338, 31339])
  })

  it('has tokens with the described decimals, and a billion of each token for each payer', async () => {
    for (const { anvil, deployed } of devnet.chains) {
      const client = createChainClient({ chainId: anvil.chainId, rpcUrls: [anvil.rpcUrl] })
      for (const { address, decimals } of deployed) {
        const token = { address, abi: erc20Abi } as const
        expect(await client.readContract({ ...token, functionName: 'decimals' })).to.equal(decimals)
        for (const { address: payer } of [
          devnet.description.accounts.payer,
          devnet.description.accounts.payer2,
        ]) {
          const balance = await client.readContract({ ...token, functionName: 'balanceOf', args: [payer] })
          expect(balance).to.equal(10n ** 9n * 10n ** BigInt(decimals))
        }
      }
    }
  })

  it('mines blocks without transactions', async () => {
    const [chain] = devnet.chains
    if (!chain) throw new Error('no chain')
    const client = createChainClient({ chainId: chain.chainId, rpcUrls: [chain.anvil.rpcUrl] })
    const head = await client.getBlockNumber()
    await waitFor(async () => (await client.getBlockNumber({ cacheTime: 0 })) > head, {
      what: 'the next block',
      timeoutMs: 60_000,
    })
  })

  it('has API keys with the documented scopes', async () => {
    const { keys } = devnet.description
    const scopes = await scopesByKey()
    expect(scopes.get(keys.live)).to.deep.equal(
      SCOPES.filter((scope) => scope !== 'charges:split_write' && scope !== 'recipients:manage_payout'),
    )
    expect(scopes.get(keys.test)).to.deep.equal(scopes.get(keys.live))
    expect(scopes.get(keys.otherOrganization)).to.deep.equal(scopes.get(keys.live))
    expect(scopes.get(keys.liveSplit)).to.deep.equal(['charges:read', 'charges:write', 'charges:split_write'])
    expect(scopes.get(keys.liveRecipients)).to.deep.equal(['recipients:read', 'recipients:write'])
    expect(scopes.get(keys.liveManagePayout)).to.include('recipients:manage_payout')
    expect(scopes.get(keys.noScopes)).to.deep.equal([])
  })

  it('keeps committed rows when PostgreSQL is killed and restarted', async () => {
    const before = await scopesByKey()
    await devnet.postgres.kill()
    await devnet.postgres.restart()
    expect(await scopesByKey()).to.deep.equal(before)
  })

  it('does not start in a directory that another running devnet uses', async () => {
    const error: unknown = await startDevnet({ directory, startsServices: false }).catch(
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes(`process ${process.pid}`)
  })

  async function scopesByKey(): Promise<Map<string, readonly string[]>> {
    const sql = connect({ url: devnet.databaseUrls.operator, applicationName: 'test', maxConnections: 1 })
    const rows = await sql<{ keyHash: Buffer; scopes: string[] }[]>`select key_hash, scopes from api_keys`
    await sql.end()
    const byHash = new Map(rows.map(({ keyHash, scopes }) => [keyHash.toString('hex'), scopes]))
    const keys: string[] = Object.values(devnet.description.keys)
    return new Map(keys.map((key) => [key, byHash.get(hashApiKey(key).toString('hex')) ?? ['no such key']]))
  }
})

describe('starting the devnet', function () {
  this.timeout(180_000)

  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'devnet-'))
  })

  afterEach(() => rm(directory, { recursive: true }))

  it('writes devnet.json only when its services are usable, even if an earlier devnet has left one', async () => {
    const path = join(directory, 'devnet.json')
    await writeFile(path, '{"apiUrl":"http://127.0.0.1:1"}')
    let hasEnded = false
    const starting = startDevnet({ directory, chains: [BASE] }).finally(() => (hasEnded = true))
    // Waits for the file, as a script that uses the devnet would.
    const isGone = waitFor(() => hasEnded || !existsSync(path), {
      what: 'the old description to be deleted',
      timeoutMs: 60_000,
    })
    const offered = isGone.then(async () => {
      const text = await waitFor(() => readFile(path, 'utf8'), {
        ...{ what: 'the new description', timeoutMs: 150_000, intervalMs: 1 },
      })
      return requireData(createApiCaller(JSON.parse(text) as DevnetDescription).GET('/v1/networks'))
    })
    const [devnet, { acceptedPayments }] = await Promise.all([starting, offered])
    await devnet.stop()
    expect(acceptedPayments).to.have.deep.members([
      { token: 'USDC', network: 'base' },
      { token: 'USDT', network: 'base' },
    ])
  })
})

describe('ending the devnet', function () {
  this.timeout(240_000)

  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'devnet-'))
  })

  afterEach(() => rm(directory, { recursive: true }))

  it('leaves no processes behind, and no files except devnet.json, networks.json and logs', async () => {
    const devnet = await startDevnet({ directory, chains: [BASE], startsServices: false })
    const pids = [devnet.postgres.server.pid, ...devnet.chains.map(({ anvil }) => anvil.pid)]
    await devnet.stop()
    expect(pids.filter((pid) => findCommandLine(pid) !== null)).to.deep.equal([])
    expect((await readdir(directory)).filter((name) => !name.endsWith('.log'))).to.have.members([
      'devnet.json',
      'networks.json',
    ])
  })

  it('ends PostgreSQL and the chains even after kill -9, and can start again', async () => {
    const { kill, pids } = await startInAnotherProcess(directory)
    kill()
    await waitFor(() => pids.every((pid) => findCommandLine(pid) === null), {
      what: 'PostgreSQL and the chains to exit with their parent',
      timeoutMs: 60_000,
    })
    const next = await startDevnet({ directory, chains: [BASE], startsServices: false })
    await next.stop()
  })
})

/** Starts a devnet in a process that can be killed without killing the test. */
async function startInAnotherProcess(directory: string): Promise<{ kill: () => void; pids: number[] }> {
  const program = `
    import { startDevnet } from './test/devnet/devnet.ts'
    const devnet = await startDevnet({ directory: ${JSON.stringify(directory)}, startsServices: false })
    const pids = [devnet.postgres.server.pid, ...devnet.chains.map(({ anvil }) => anvil.pid)]
    process.stdout.write(JSON.stringify(pids))`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    cwd: resolve(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text] = (await new Promise((done) => child.stdout.once('data', (chunk) => done([chunk])))) as [
    Buffer,
  ]
  return { kill: () => child.kill('SIGKILL'), pids: JSON.parse(text.toString()) as number[] }
}
