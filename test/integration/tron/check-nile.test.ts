import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { expect } from 'chai'

import { PRESENTED_TRON_ACCOUNTS, toTronAddress } from '../../devnet/tron/accounts.ts'
import { TRON_USDT } from '../../devnet/tron/addresses.ts'
import { type RunningTron, startTron } from '../../devnet/tron/start-tron.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const NILE = 3448148188

// oxlint-disable-next-line no-process-env -- the duration is a setting of the run
const inLongRun = process.env['TEST_LONG'] === '1' ? it : () => undefined

/** The script that an operator runs manually on Nile. Here it runs on the local chain. */
describe('docs/examples/check-nile.mjs', function () {
  this.timeout(240_000)

  let directory: string
  let tron: RunningTron

  before(async () => {
    directory = await temporaryDirectory('nile')
    tron = await startTron({ name: 'nile', blockMs: 500, chainId: NILE, directory })
    // As on a real network, the script finds a chain with many blocks.
    await fetch(`${tron.httpUrl}/control/mine`, { method: 'POST', body: JSON.stringify({ blocks: 60 }) })
  })

  after(async () => {
    await tron?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  function run(...args: readonly string[]): Promise<{ code: number; output: string }> {
    const script = ['docs/examples/check-nile.mjs', '--url', tron.httpUrl]
    const usdt = ['--usdt', toTronAddress({ address: TRON_USDT })]
    // oxlint-disable-next-line no-process-env -- where programs are installed
    const env = { PATH: process.env['PATH'] ?? '', KEY: PRESENTED_TRON_ACCOUNTS.tronPayer.privateKey }
    return new Promise((done) => {
      execFile(process.execPath, [...script, ...usdt, ...args], { env }, (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      )
    })
  }

  it('reads the chain, and reports no difference from the assumptions', async () => {
    const { code, output } = await run()
    expect(output.match(/DIFFERS.*/g) ?? []).to.deep.equal([])
    expect(output).to.include('The node behaves as the service expects.')
    expect(code).to.equal(0)
  })

  // Slow, because the script waits three times until a transaction is solidified.
  inLongRun('deploys, pays and pays out, and reports the cost of each', async () => {
    const { code, output } = await run('--key-env', 'KEY', '--deploy')
    expect(output.match(/DIFFERS.*/g) ?? []).to.deep.equal([])
    expect(output).to.match(/matches {2}paying it out.*: SUCCESS, \d+ energy, [\d.]+ TRX in total/)
    expect(output).to.include('The node behaves as the service expects.')
    expect(code).to.equal(0)
  })

  it('reports a difference and the number of differences, and exits with 1', async () => {
    const { code, output } = await run('--chain-id', '1')
    expect(output).to.include('DIFFERS  the chain at /jsonrpc: 0xcd8690dc = 3448148188')
    expect(output).to.include('2 checks differ')
    expect(code).to.equal(1)
  })
})
