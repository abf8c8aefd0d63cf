import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../../devnet/free-port.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('the receiver of docs/webhooks.md', function () {
  this.timeout(60_000)

  it('takes what is signed and fresh, refuses the rest, and handles an event once', async () => {
    const page = await readFile(resolve(REPOSITORY, 'docs/webhooks.md'), 'utf8')
    const [, script = 'exit 1'] = /runs the next block. -->\n```sh\n(.*?)```/s.exec(page) ?? []
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: REPOSITORY,
      env: { ...process.env, PORT: String(await freePort(0)) },
      timeout: 50_000,
    })
    expect(stdout.trim().split('\n')).to.have.members([
      'charge.confirmed ch_1',
      ...['204 genuine', '204 once more', '204 rotated'],
      ...['400 altered', '400 old', '400 another secret'],
    ])
  })
})
